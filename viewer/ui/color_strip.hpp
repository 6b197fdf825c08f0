#pragma once

#include <imgui.h>

#include "pictures/color_map.hpp"
#include "viewer/layers/space/inks.hpp"

namespace skde::view::ui {

/// Fills a rectangle with a colour map, with the low end at the left.
void draw_color_row(ImDrawList& list, ColorMap map, ImVec2 upper_left, ImVec2 lower_right);
/// Fills a rectangle with a colour map, with the low end at the bottom.
void draw_color_column(ImDrawList& list, ColorMap map, ImVec2 upper_left, ImVec2 lower_right);

/// Returns the inks of the theme that panels have now: see PanelLayer::set_theme().
const Inks& theme_inks();

ImVec4 panel_color(glm::vec4 color);
/// Returns a colour as drawing lists take it.
ImU32 packed(glm::vec4 color);

}  // namespace skde::view::ui
