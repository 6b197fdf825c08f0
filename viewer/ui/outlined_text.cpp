#include "viewer/ui/outlined_text.hpp"

#include <cmath>

namespace skde::view::ui {

void draw_outlined_text(ImDrawList& list, const std::string& text, ImVec2 pixel, ImVec2 anchor,
                        ImU32 color, float scale) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  // Whole pixels, or the letters blur.
  const ImVec2 at{std::round(pixel.x - anchor.x * size.x), std::round(pixel.y - anchor.y * size.y)};
  const bool on_light =
      ImGui::GetStyleColorVec4(ImGuiCol_Text).y < 0.4F;  // the theme's letters are dark
  const ImU32 opacity = (color >> IM_COL32_A_SHIFT & 0xff) * 200 / 255;
  const ImU32 around = on_light ? IM_COL32(255, 255, 255, opacity) : IM_COL32(10, 12, 15, opacity);
  const float wide = std::round(scale);
  for (const float dy : {-wide, 0.0F, wide})
    for (const float dx : {-wide, 0.0F, wide})
      if (dx != 0 || dy != 0) list.AddText({at.x + dx, at.y + dy}, around, text.c_str());
  list.AddText(at, color, text.c_str());
}

}  // namespace skde::view::ui
