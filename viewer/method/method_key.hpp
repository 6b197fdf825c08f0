#pragma once

#include "viewer/method/region_pen.hpp"

namespace skde::view {

/// Returns the height, in pixels, of the key below a method view of `size` pixels: at most 8 % of
/// the view's. Entries that do not fit are left out, the last ones first. 0 if none fits.
int key_height(glm::ivec2 size, float scale);

/// Draws what the colours and lines of the method view mean: a bar with the kernel's values from 0
/// to the greatest one, the chosen slice, and dashed edges.
void draw_key(RegionPen& pen, const SampleSlices& slices, const MethodLook& look);

}  // namespace skde::view
