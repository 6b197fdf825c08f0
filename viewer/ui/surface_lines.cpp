#include "viewer/ui/surface_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr float kSurfaceReach = 5;  // pixels at scale 1

}  // namespace

std::optional<float> SurfaceLines::place(const ViewState& state, std::size_t surface) const {
  if (state.mode != RenderMode::isosurface || surface >= state.masses.size()) return std::nullopt;
  const auto region = masses.region(state.masses[surface]);
  if (!region) return std::nullopt;
  const auto share = static_cast<float>(axis.share_of(region->level));
  return std::round(std::lerp(upper_left.x, lower_right.x, share));
}

void SurfaceLines::drag(ViewState& state, std::size_t surface) const {
  const float width = lower_right.x - upper_left.x;
  const double share = std::clamp<double>((ImGui::GetIO().MousePos.x - upper_left.x) / width, 0, 1);
  double least = kLeastMass, most = 1 - kLeastMass;
  const double now = state.masses[surface];
  for (std::size_t i = 0; i < state.masses.size(); ++i) {
    if (i == surface) continue;
    if (state.masses[i] < now) least = std::max(least, state.masses[i] + kLeastMass);
    if (state.masses[i] > now) most = std::min(most, state.masses[i] - kLeastMass);
  }
  if (least > most) return;  // no room between its neighbours
  state.masses[surface] = std::clamp(masses.mass_above(axis.value_at(share)), least, most);
}

bool SurfaceLines::handle_mouse(ViewState& state, std::optional<std::size_t>& grabbed) const {
  const float mouse = ImGui::GetIO().MousePos.x;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || !ImGui::IsItemActive()) grabbed.reset();
  std::optional<std::size_t> over;
  float least = kSurfaceReach * scale;
  for (std::size_t i = 0; ImGui::IsItemHovered() && i < state.masses.size(); ++i) {
    const std::optional<float> x = place(state, i);
    if (!x || std::abs(*x - mouse) > least) continue;
    least = std::abs(*x - mouse);
    over = i;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) grabbed = over;
  if (grabbed && *grabbed < state.masses.size()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) drag(state, *grabbed);
    return true;
  }
  return over.has_value();
}

void SurfaceLines::draw(ImDrawList& list, const ViewState& state) const {
  const ImU32 ink = packed(theme_inks().notice);
  float below = upper_left.y;  // so that texts of near lines do not cover each other
  for (std::size_t i = 0; i < state.masses.size(); ++i) {
    const std::optional<float> x = place(state, i);
    if (!x) continue;
    list.AddLine({*x, upper_left.y}, {*x, lower_right.y}, ink, 1.5F * scale);
    const std::string text = fmt::format("{:.3g} %", 100 * state.masses[i]);
    const float width = ImGui::CalcTextSize(text.c_str()).x, gap = 3 * scale;
    const float left = *x + gap + width > lower_right.x ? *x - gap - width : *x + gap;
    draw_outlined_text(list, text, {left, below}, {0, 0}, ink, scale);
    below += ImGui::GetFontSize();
  }
}

}  // namespace skde::view::ui
