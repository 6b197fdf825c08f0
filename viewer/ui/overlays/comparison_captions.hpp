#pragma once

#include "viewer/method/slice_view.hpp"
#include "viewer/work/compare_facts.hpp"
#include "viewer/work/compare_state.hpp"

namespace skde::view::ui {

/// Draws above the parts of the picture which densities they show.
void draw_comparison_captions(const CompareFacts& facts, CompareAs as, const PixelRegion& a,
                              const PixelRegion& b, float scale);

/// Draws a line in the upper right corner of a part of the picture.
void draw_corner_caption(const std::string& text, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
