#pragma once

#include "viewer/method/slice_view.hpp"
#include "viewer/work/compare_facts.hpp"
#include "viewer/work/compare_state.hpp"

namespace skde::view::ui {

/// Draws above the parts of the picture which densities they show. Returns the number of lines.
int draw_comparison_captions(const CompareFacts& facts, CompareAs as, const PixelRegion& a,
                             const PixelRegion& b, float scale);

/// Draws a text in the right corner of a part of the picture, so many lines below its upper edge.
void draw_corner_caption(const std::string& text, int line, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
