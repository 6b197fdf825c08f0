#include "viewer/ui/view_warnings.hpp"

#include <algorithm>

#include "viewer/ui/outlined_text.hpp"

namespace skde::view::ui {

void draw_warnings(std::span<const std::string> warnings, const PixelRegion& region, float scale) {
  const float margin = 8 * scale, letter = ImGui::GetFontSize();
  const auto width = std::max(static_cast<float>(region.size.x) - 2 * margin, letter);
  const ImU32 color = ImGui::ColorConvertFloat4ToU32(kWarningColor);
  ImVec2 at{static_cast<float>(region.corner.x) + margin,
            static_cast<float>(region.corner.y) + margin};
  for (const std::string& warning : warnings) {
    const std::string text = "Warning: " + warning;
    const char* begin = text.data();
    const char* const end = begin + text.size();
    while (begin < end) {
      const char* line = ImGui::GetFont()->CalcWordWrapPositionA(
          letter / ImGui::GetFont()->FontSize, begin, end, width);
      if (line == begin) ++line;  // a letter at least
      draw_outlined_text(*ImGui::GetBackgroundDrawList(), {begin, line}, at, {0, 0}, color, scale);
      at.y += 1.15F * letter;
      begin = std::find_if(line, end, [](char c) { return c != ' '; });
    }
  }
}

}  // namespace skde::view::ui
