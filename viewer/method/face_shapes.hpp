#pragma once

#include "viewer/method/region_pen.hpp"

namespace skde::view {

/// Draws the chosen slice face on: its cells with their centres, coloured by the kernel's value,
/// what crop keeps, the ellipse and its axes, and the full slice as an inset.
void draw_face(RegionPen& pen, const SampleSlices& slices, const MethodLook& look);

}  // namespace skde::view
