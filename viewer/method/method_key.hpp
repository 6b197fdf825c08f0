#pragma once

#include "viewer/method/region_pen.hpp"

namespace skde::view {

/// Returns the height that the key of a method view of `size` pixels takes: that of the lines of
/// its entries, of which the first ones have room in a part of the view. 0 in low views.
int key_height(glm::ivec2 size, float scale);

/// Draws what the colours and lines of the method view mean: a bar with the kernel's values from 0
/// to the greatest one, the chosen slice, and dashed edges.
void draw_key(RegionPen& pen, const SampleSlices& slices, const MethodLook& look);

}  // namespace skde::view
