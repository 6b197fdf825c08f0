#pragma once

#include "viewer/layers/method/method_geometry.hpp"
#include "viewer/layers/method/region_pen.hpp"

namespace skde::view {

/// Returns where the slice lies in a picture of `size` pixels: left of the inset, if there is room.
FaceFrame face_frame(const SampleSlices& slices, const MethodLook& look, glm::ivec2 size,
                     float scale);

/// Draws the chosen slice face on: its cells with their centres, coloured by the kernel's value,
/// what crop keeps, the ellipse and its axes, and the full slice as an inset.
void draw_face(RegionPen& pen, const SampleSlices& slices, const MethodLook& look);

}  // namespace skde::view
