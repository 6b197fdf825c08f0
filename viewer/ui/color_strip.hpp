#pragma once

#include <imgui.h>

#include "pictures/color_map.hpp"

namespace skde::view::ui {

/// Fills a rectangle with a colour map, with the low end at the left.
void draw_color_row(ImDrawList& list, ColorMap map, ImVec2 upper_left, ImVec2 lower_right);
/// Fills a rectangle with a colour map, with the low end at the bottom.
void draw_color_column(ImDrawList& list, ColorMap map, ImVec2 upper_left, ImVec2 lower_right);

}  // namespace skde::view::ui
