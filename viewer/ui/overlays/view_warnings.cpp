#include "viewer/ui/overlays/view_overlays.hpp"

#include <imgui.h>
#include <algorithm>
#include <cmath>

#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr float kWarningMargin = 8, kWarningLine = 1.15F;  // pixels at scale 1; in letter heights
constexpr float kWarningsShare = 0.4F;                     // of the views' height, at most

/// Splits each warning into lines as wide as the region.
std::vector<std::string> lines_of(std::span<const std::string> warnings, float width) {
  const float letter = ImGui::GetFontSize();
  std::vector<std::string> lines;
  for (const std::string& warning : warnings) {
    const std::string text = "Warning: " + warning;
    const char* begin = text.data();
    const char* const end = begin + text.size();
    while (begin < end) {
      const char* line = ImGui::GetFont()->CalcWordWrapPositionA(
          letter / ImGui::GetFont()->FontSize, begin, end, width);
      if (line == begin) ++line;  // at least one letter
      lines.emplace_back(begin, line);
      begin = std::find_if(line, end, [](char c) { return c != ' '; });
    }
  }
  return lines;
}

}  // namespace

WarningStrip warning_strip(std::span<const std::string> warnings, const PixelRegion& region,
                           float scale) {
  WarningStrip strip{{}, region};
  if (warnings.empty()) return strip;
  const float line = kWarningLine * ImGui::GetFontSize(), margins = 1.5F * kWarningMargin * scale;
  const auto height = static_cast<float>(region.size.y);
  strip.lines = lines_of(
      warnings, std::max(static_cast<float>(region.size.x) - 2 * kWarningMargin * scale, line));
  const auto most =
      static_cast<std::size_t>(std::max(0.0F, (kWarningsShare * height - margins) / line));
  if (strip.lines.size() > most) {
    strip.lines.resize(most);
    if (most > 0) strip.lines.back() += " \u2026";
  }
  if (strip.lines.empty()) return strip;
  const int taken =
      static_cast<int>(std::ceil(margins + line * static_cast<float>(strip.lines.size())));
  strip.views.corner.y += taken;
  strip.views.size.y -= taken;
  return strip;
}

void draw_warnings(const WarningStrip& strip, const PixelRegion& region, float scale) {
  const ImU32 color = packed(theme_inks().notice);
  ImVec2 at{static_cast<float>(region.corner.x) + kWarningMargin * scale,
            static_cast<float>(region.corner.y) + kWarningMargin * scale};
  for (const std::string& line : strip.lines) {
    draw_outlined_text(*ImGui::GetBackgroundDrawList(), line, at, {0, 0}, color, scale);
    at.y += kWarningLine * ImGui::GetFontSize();
  }
}

}  // namespace skde::view::ui
