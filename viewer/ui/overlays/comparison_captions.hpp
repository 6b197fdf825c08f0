#pragma once

#include "viewer/method/slice_view.hpp"
#include "viewer/work/compare_facts.hpp"
#include "viewer/work/compare_state.hpp"

namespace skde::view::ui {

/// Draws above the parts of the picture which densities they show. Returns how many lines of text
/// that takes.
int draw_comparison_captions(const CompareFacts& facts, CompareAs as, const PixelRegion& a,
                             const PixelRegion& b, float scale);

/// Draws a text at the right edge of a part of the picture. Line 0 is at its upper edge.
void draw_corner_caption(const std::string& text, int line, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
