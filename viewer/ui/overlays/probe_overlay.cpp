#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "viewer/layers/space/readout_line.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"
#include "viewer/ui/theme_inks.hpp"

namespace skde::view::ui {
namespace {

constexpr float kPinArm = 6, kProbeGap = 14, kProbePad = 6;  // pixels at scale 1

/// Returns where a box begins along an axis: behind the mouse, or before it if that has more room.
float place_beside(float mouse, float length, float low, float high, float gap) {
  const float behind = mouse + gap;
  return behind + length <= high ? behind : std::max(low, mouse - gap - length);
}

}  // namespace

void draw_probe(const ProbeReading& reading, const ProbeTexts& texts, glm::dvec2 mouse,
                const PixelRegion& region, float scale) {
  const std::vector<ReadoutLine> lines = probe_lines(reading, texts);
  const float letter = ImGui::GetFontSize(), pad = kProbePad * scale;
  float names = 0, values = 0;
  for (const ReadoutLine& line : lines) {
    names = std::max(names, ImGui::CalcTextSize(line.label.c_str()).x);
    values = std::max(values, ImGui::CalcTextSize(line.value.c_str()).x);
  }
  const ImVec2 size{names + values + letter + 2 * pad,
                    1.15F * letter * static_cast<float>(lines.size()) + 2 * pad};
  const glm::vec2 low(region.corner), high(region.corner + region.size), at(mouse);
  const float gap = kProbeGap * scale;
  const ImVec2 corner{place_beside(at.x, size.x, low.x, high.x, gap),
                      place_beside(at.y, size.y, low.y, high.y, gap)};
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddRectFilled(corner, {corner.x + size.x, corner.y + size.y}, packed(theme_inks().plate),
                     4 * scale);
  float y = corner.y + pad;
  for (const ReadoutLine& line : lines) {
    list.AddText({corner.x + pad, y}, packed(theme_inks().quiet), line.label.c_str());
    list.AddText({corner.x + pad + names + letter, y}, packed(theme_inks().strong),
                 line.value.c_str());
    y += 1.15F * letter;
  }
}

void draw_pins(std::span<const std::optional<glm::dvec2>> pixels, const PixelRegion& region,
               float scale) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const float arm = kPinArm * scale;
  const ImU32 pin = packed(theme_inks().pin);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (!pixels[i]) continue;
    const glm::vec2 at = glm::vec2(*pixels[i]) + glm::vec2(region.corner);
    if (!region.holds(at)) continue;
    for (const auto& [width, color] : {std::pair{3.5F, packed(theme_inks().halo)}, {1.5F, pin}}) {
      list.AddLine({at.x - arm, at.y}, {at.x + arm, at.y}, color, width * scale);
      list.AddLine({at.x, at.y - arm}, {at.x, at.y + arm}, color, width * scale);
    }
    draw_outlined_text(list, fmt::format("{}", i + 1), {at.x + 0.7F * arm, at.y - 0.5F * arm},
                       {0, 1}, pin, scale);
  }
}

void draw_outline(std::span<const glm::dvec2> pixels, float scale) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (const auto& [width, color] :
       {std::pair{3.5F, packed(theme_inks().halo)}, {1.5F, packed(theme_inks().mark)}})
    for (std::size_t i = 0; pixels.size() > 1 && i < pixels.size(); ++i) {
      const glm::vec2 from(pixels[i]), to(pixels[(i + 1) % pixels.size()]);
      list.AddLine({from.x, from.y}, {to.x, to.y}, color, width * scale);
    }
}

}  // namespace skde::view::ui
