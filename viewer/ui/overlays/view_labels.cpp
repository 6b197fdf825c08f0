#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viewer/ui/label_layout.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr glm::vec2 kGroundPad{3, 0};  // pixels at scale 1
constexpr float kGroundOpacity = 0.75F;

glm::dvec2 measure(const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  return {size.x, size.y};
}

/// Begins to draw below all windows, clipped to the region until PopClipRect().
ImDrawList& begin_region(const PixelRegion& region) {
  const glm::vec2 lower(region.corner), upper(region.corner + region.size);
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect({lower.x, lower.y}, {upper.x, upper.y});
  return list;
}

/// Draws a line from the label's mark to its text.
void draw_mark(ImDrawList& list, const PlacedLabel& placed, const PixelRegion& region,
               float scale) {
  const glm::dvec2 corner(region.corner), mark = *placed.label->mark;
  const glm::vec2 from(corner + mark),
      to(corner + glm::clamp(mark, placed.box.lower, placed.box.upper));
  const ImU32 ink = packed(placed.label->color);
  list.AddLine({from.x, from.y}, {to.x, to.y}, packed(theme_inks().halo), 3 * scale);
  list.AddLine({from.x, from.y}, {to.x, to.y}, ink, scale);
  list.AddCircleFilled({from.x, from.y}, 2 * scale, ink);
}

void draw_caption_above(const std::string& text, const PixelRegion& region, float scale) {
  const float middle =
      static_cast<float>(region.corner.x) + 0.5F * static_cast<float>(region.size.x);
  draw_outlined_text(*ImGui::GetBackgroundDrawList(), text,
                     {middle, static_cast<float>(region.corner.y) + 6 * scale}, {0.5F, 0},
                     ImGui::GetColorU32(ImGuiCol_Text), scale);
}

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

void draw_labels(std::span<const SceneLabel> labels, std::span<const PixelLine> lines,
                 const PixelRegion& region, float scale) {
  ImDrawList& list = begin_region(region);
  for (const PlacedLabel& placed : place_labels(labels, lines, region.size, measure)) {
    const glm::vec2 corner = glm::vec2(placed.box.lower) + glm::vec2(region.corner);
    if (placed.label->mark) draw_mark(list, placed, region, scale);
    draw_outlined_text(list, placed.text, {corner.x, corner.y}, {0, 0}, packed(placed.label->color),
                       scale);
  }
  list.PopClipRect();
}

void draw_labels(std::span<const SliceLabel> labels, const PixelRegion& region, float scale) {
  ImDrawList& list = begin_region(region);
  const glm::vec2 pad = scale * kGroundPad;
  for (const PlacedSliceLabel& placed : place_labels(labels, region, measure)) {
    const glm::vec2 lower(placed.box.lower), upper(placed.box.upper);
    if (placed.label->over_lines)
      list.AddRectFilled({lower.x - pad.x, lower.y - pad.y}, {upper.x + pad.x, upper.y + pad.y},
                         packed(glm::vec4(placed.label->ground, kGroundOpacity)), 2 * scale);
    draw_outlined_text(list, placed.text, {lower.x, lower.y}, {0, 0}, packed(placed.label->color),
                       scale);
  }
  list.PopClipRect();
}

void draw_corner_caption(const std::string& text, int line, const PixelRegion& region,
                         float scale) {
  const glm::vec2 low(region.corner), size(region.size);
  const float down = static_cast<float>(line) * ImGui::GetTextLineHeight();
  draw_outlined_text(*ImGui::GetBackgroundDrawList(), text,
                     {low.x + size.x - 6 * scale, low.y + 6 * scale + down}, {1, 0},
                     ImGui::GetColorU32(ImGuiCol_Text), scale);
}

int draw_comparison_captions(const CompareFacts& facts, CompareAs as, const PixelRegion& a,
                             const PixelRegion& b, float scale) {
  const bool known = !facts.b.empty();
  if (as == CompareAs::side) {
    draw_caption_above(known ? fmt::format("A: {}", facts.a) : "A", a, scale);
    draw_caption_above(known ? fmt::format("B: {}", facts.b) : "B", b, scale);
    return 1;
  }
  if (known) draw_caption_above(fmt::format("A: {}\nB: {}", facts.a, facts.b), a, scale);
  return known ? 2 : 0;
}

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
