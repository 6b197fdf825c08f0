#pragma once

#include <array>

#include "viewer/layers/method/method_picture.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// Places of the views on a picture; a view that is not shown has size 0.
struct ViewParts {
  PixelRegion method, volume;
  PixelRegion
      bar;  ///< column of the scalar bar, right of the volume; empty if there is little room
  std::array<PixelRegion, 3> sections{};           ///< across x, y and z
  std::array<PixelRegion, 3> compared_sections{};  ///< of the density that is compared
  PixelRegion compared{};  ///< the density that is compared with that of `volume`, beside it
  int split = 0;  ///< axis along which the views stand side by side: 0, or 1 where that is longer

  /// Returns the sections, of the compared density if the pixel is in one of them.
  const std::array<PixelRegion, 3>& sections_at(glm::dvec2 pixel) const;
  /// Returns the line between the views, widened to where the mouse takes it; empty if only one
  /// view is shown.
  PixelRegion border(float scale) const;
};

/// Divides a region among the views of a state: the method at the left, or below the volume if the
/// region is higher than wide.
ViewParts view_parts(const ViewState& state, const PixelRegion& region, float scale);

/// Returns the method's share of a region whose border is moved to a pixel.
double method_share_at(const ViewParts& parts, const PixelRegion& region, glm::dvec2 pixel);

}  // namespace skde::view
