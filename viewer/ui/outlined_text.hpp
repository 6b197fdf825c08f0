#pragma once

#include <imgui.h>

#include <string>

namespace skde::view::ui {

/// Draws text with an outline like the ground of the theme, legible over any picture. The text's
/// point at `anchor` (0, 0: upper left; 1, 1: lower right) is put at `pixel`.
void draw_outlined_text(ImDrawList& list, const std::string& text, ImVec2 pixel, ImVec2 anchor,
                        ImU32 color, float scale);

}  // namespace skde::view::ui
