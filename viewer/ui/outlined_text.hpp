#pragma once

#include <imgui.h>

#include <string>

namespace skde::view::ui {

/// Letters with a dark outline, which are read over any picture. The point of the text at `anchor`
/// (0, 0: upper left; 1, 1: lower right) goes to `pixel`.
void draw_outlined_text(ImDrawList& list, const std::string& text, ImVec2 pixel, ImVec2 anchor,
                        ImU32 color, float scale);

}  // namespace skde::view::ui
