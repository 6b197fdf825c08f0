#pragma once

#include <imgui.h>

#include <optional>

#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view::ui {

inline constexpr double kLeastMass = 1e-3;  ///< of a surface, and 1 less the most, as one drags it

/// The nested surfaces as lines over a histogram of densities, each with its share of the mass.
struct SurfaceLines {
  ImVec2 upper_left, lower_right;  ///< of the histogram, in pixels
  float scale;
  ValueAxis axis;  ///< along the histogram
  const MassProfile& masses;

  /// Lets the mouse drag a line of the last widget between its neighbours, which changes its mass.
  /// Returns true while it holds a line or hovers over one. `grabbed` is the line that it holds.
  bool handle_mouse(ViewState& state, std::optional<std::size_t>& grabbed) const;
  void draw(ImDrawList& list, const ViewState& state) const;

 private:
  std::optional<float> place(const ViewState& state, std::size_t surface) const;
  void drag(ViewState& state, std::size_t surface) const;
};

}  // namespace skde::view::ui
