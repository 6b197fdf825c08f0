#include "viewer/ui/overlays/view_overlays.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "cli/text/number_format.hpp"
#include "pictures/axis_ticks.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/theme_inks.hpp"

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

}  // namespace skde::view::ui
