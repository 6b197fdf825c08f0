#pragma once

#include "viewer/method/slice_view.hpp"
#include "viewer/work/live_comparison.hpp"

namespace skde::view::ui {

/// Draws above the parts of the picture which densities they show.
void draw_comparison_captions(const CompareFacts& facts, CompareAs as, const PixelRegion& a,
                              const PixelRegion& b, float scale);

}  // namespace skde::view::ui
