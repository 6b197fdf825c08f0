#pragma once

#include <algorithm>

namespace skde::view {

/// How the picture is divided among the panels and the two views.
struct Division {
  static constexpr double kLeastMethod = 0.1, kMostMethod = 0.9;
  static constexpr double kLeastPanels = 250, kMostPanels = 4000;

  double method = 0.4;       ///< share of the views' longer side that the method takes beside the
                             ///< volume
  double panels = 320;       ///< width of the side window, in pixels at scale 1
  bool panels_shown = true;  ///< whether the side window is shown where there is room for it

  void set_method(double share) { method = std::clamp(share, kLeastMethod, kMostMethod); }

  friend bool operator==(const Division&, const Division&) = default;
};

}  // namespace skde::view
