#pragma once

#include <span>
#include <string>

#include "viewer/method/method_picture.hpp"
#include "viewer/session/view_state.hpp"
#include "viewer/ui/value_ticks.hpp"
#include "viewer/volume/volume_histogram.hpp"

namespace skde::view::ui {

/// Explains the volume's colours in a column of pixels beside it: the colour map with ticks, the
/// quantity with its unit, and the densities of surfaces if there are any.
void draw_scalar_bar(const ViewState& state, const ValueKind& kind,
                     std::span<const MassRegion> surfaces, const PixelRegion& region, float scale);
/// Draws the bar of another quantity, such as the masses of ellipsoids or a column that colours the
/// samples. The unit may be empty.
void draw_named_bar(const ValueAxis& axis, ColorMap colors, const std::string& name,
                    const std::string& unit, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
