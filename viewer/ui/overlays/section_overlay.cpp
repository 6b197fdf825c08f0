#include "viewer/ui/overlays/view_overlays.hpp"

#include <fmt/core.h>
#include <imgui.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/text/terminal_text.hpp"
#include "pictures/axis_ticks.hpp"
#include "viewer/layers/space/readout_line.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr float kSectionTick = 5, kSectionGap = 3;  // pixels at scale 1
constexpr float kLettersBetween = 2.2F;  // least distance of two ticks, in letter heights

ImU32 axis_color(int axis) { return packed(theme_inks().axes[static_cast<std::size_t>(axis)]); }

/// Draws the axes, the title and the cross-hair of one section.
struct SectionPen {
  const SectionMap& map;
  const Box& bounds;
  const AxisTexts& texts;
  float scale;
  ImDrawList& list;

  ImVec2 corner(bool right, bool low) const {
    const auto [upper_left, lower_right] = map.corners();
    return {static_cast<float>(right ? lower_right.x : upper_left.x),
            static_cast<float>(low ? lower_right.y : upper_left.y)};
  }

  AxisTicks ticks(int axis, float length) const {
    const auto most = static_cast<int>(length / (kLettersBetween * ImGui::GetFontSize()));
    return choose_ticks(bounds.lower[axis], bounds.upper[axis], std::clamp(most, 1, 6));
  }

  /// Returns ticks whose labels have room beside each other.
  AxisTicks ticks_beside(int axis, float length) const {
    AxisTicks found;
    for (float room = length; room > 1; room *= 0.8F) {
      found = ticks(axis, room);
      float taken = 0;
      for (const std::string& label : found.labels)
        taken += ImGui::CalcTextSize(label.c_str()).x + ImGui::GetFontSize();
      if (taken <= length) break;
    }
    return found;
  }

  std::string caption(int axis, const AxisTicks& ticks) const {
    return axis_caption(texts.name(static_cast<std::size_t>(axis)), ticks, texts.units);
  }

  glm::dvec2 pixel(int axis, double value) const {
    Vec3 world = bounds.lower;
    world[axis] = value;
    return map.to_pixel(world);
  }

  void draw_across() const {
    const ImVec2 from = corner(false, true), to = corner(true, true);
    const AxisTicks found = ticks_beside(map.across, to.x - from.x);
    const float tick = kSectionTick * scale, gap = kSectionGap * scale;
    for (std::size_t i = 0; i < found.positions.size(); ++i) {
      const auto x = static_cast<float>(pixel(map.across, found.positions[i]).x);
      list.AddLine({x, from.y}, {x, from.y + tick}, packed(theme_inks().line), scale);
      draw_outlined_text(list, found.labels[i], {x, from.y + tick + gap}, {0.5F, 0},
                         packed(theme_inks().line), scale);
    }
    draw_outlined_text(list, caption(map.across, found),
                       {0.5F * (from.x + to.x), from.y + tick + gap + ImGui::GetFontSize()},
                       {0.5F, 0}, axis_color(map.across), scale);
  }

  void draw_up() const {
    const ImVec2 top = corner(false, false), foot = corner(false, true);
    const AxisTicks found = ticks(map.up, foot.y - top.y);
    const float tick = kSectionTick * scale, gap = kSectionGap * scale;
    for (std::size_t i = 0; i < found.positions.size(); ++i) {
      const auto y = static_cast<float>(pixel(map.up, found.positions[i]).y);
      list.AddLine({top.x - tick, y}, {top.x, y}, packed(theme_inks().line), scale);
      draw_outlined_text(list, found.labels[i], {top.x - tick - gap, y}, {1, 0.5F},
                         packed(theme_inks().line), scale);
    }
    draw_outlined_text(list, caption(map.up, found), {top.x, top.y - gap}, {0, 1},
                       axis_color(map.up), scale);
  }

  void draw_cross_hair(Vec3 at) const {
    const glm::vec2 cross(map.to_pixel(at));
    const ImVec2 upper_left = corner(false, false), lower_right = corner(true, true);
    list.AddRect(upper_left, lower_right, axis_color(map.normal), 0, 0, 1.5F * scale);
    // The section across an axis crosses this one in a line of that axis' colour.
    list.AddLine({cross.x, upper_left.y}, {cross.x, lower_right.y}, axis_color(map.across), scale);
    list.AddLine({upper_left.x, cross.y}, {lower_right.x, cross.y}, axis_color(map.up), scale);
    const int i = map.normal;
    const std::string title = fmt::format("{} = {}", texts.name(static_cast<std::size_t>(i)),
                                          cli::format_coordinate(at[i], bounds.extent()[i]));
    // On a line of its own if the caption beside it leaves no room.
    const AxisTicks side = ticks(map.up, lower_right.y - upper_left.y);
    const float both = ImGui::CalcTextSize((title + caption(map.up, side) + "  ").c_str()).x;
    const float line = both > lower_right.x - upper_left.x ? ImGui::GetFontSize() : 0;
    draw_outlined_text(list, title, {lower_right.x, upper_left.y - kSectionGap * scale - line},
                       {1, 1}, axis_color(i), scale);
  }
};

}  // namespace

void draw_sections(std::span<const SectionMap> maps, const Box& bounds, Vec3 at,
                   const AxisTexts& texts, float scale) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (const SectionMap& map : maps) {
    const glm::vec2 lower(map.region.corner), upper(map.region.corner + map.region.size);
    list.PushClipRect({lower.x, lower.y}, {upper.x, upper.y});
    const SectionPen pen{map, bounds, texts, scale, list};
    pen.draw_across();
    pen.draw_up();
    pen.draw_cross_hair(at);
    list.PopClipRect();
  }
}

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
