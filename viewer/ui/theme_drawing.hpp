#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "pictures/color_map.hpp"
#include "pictures/layered_document.hpp"
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

/// Draws text with an outline like the ground of the theme, legible over any picture. The text's
/// point at `anchor` (0, 0: upper left; 1, 1: lower right) is put at `pixel`.
void draw_outlined_text(ImDrawList& list, const std::string& text, ImVec2 pixel, ImVec2 anchor,
                        ImU32 color, float scale);

/// Draws such a text with letters of any size, with its upper left corner at `pixel`.
void draw_sized_text(ImDrawList& list, const std::string& text, float size, ImVec2 pixel,
                     ImU32 color, float scale);

/// Returns the letters of a text that the font lacks, each once with its code.
std::string missing_letters(std::string_view text);

/// While it lives, both functions keep the texts here instead of drawing them.
class TextRecord {
 public:
  TextRecord();
  ~TextRecord();
  TextRecord(const TextRecord&) = delete;
  TextRecord& operator=(const TextRecord&) = delete;

  std::vector<DocumentText> texts;
};

}  // namespace skde::view::ui
