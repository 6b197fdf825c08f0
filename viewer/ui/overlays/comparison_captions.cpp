#include "viewer/ui/overlays/comparison_captions.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include "viewer/ui/outlined_text.hpp"

namespace skde::view::ui {
namespace {

/// Returns the colour of letters in the present theme.
ImU32 caption_ink() { return ImGui::GetColorU32(ImGuiCol_Text); }

void draw_caption_above(const std::string& text, const PixelRegion& region, float scale) {
  const float middle =
      static_cast<float>(region.corner.x) + 0.5F * static_cast<float>(region.size.x);
  draw_outlined_text(*ImGui::GetBackgroundDrawList(), text,
                     {middle, static_cast<float>(region.corner.y) + 6 * scale}, {0.5F, 0},
                     caption_ink(), scale);
}

}  // namespace

void draw_corner_caption(const std::string& text, int line, const PixelRegion& region,
                         float scale) {
  const glm::vec2 low(region.corner), size(region.size);
  const float down = static_cast<float>(line) * ImGui::GetTextLineHeight();
  draw_outlined_text(*ImGui::GetBackgroundDrawList(), text,
                     {low.x + size.x - 6 * scale, low.y + 6 * scale + down}, {1, 0}, caption_ink(),
                     scale);
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

}  // namespace skde::view::ui
