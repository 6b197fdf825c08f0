#include "viewer/ui/widget_row.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {

std::vector<FlowedWidget> flow_widgets(std::span<const float> least, float room, float gap) {
  std::vector<FlowedWidget> flowed;
  for (std::size_t begin = 0, end = 0; begin < least.size(); begin = end) {
    float taken = 0;
    while (end < least.size() && (end == begin || taken + gap + least[end] <= room)) {
      taken += least[end] + (end == begin ? 0 : gap);
      ++end;
    }
    const auto line = least.subspan(begin, end - begin);
    const auto count = static_cast<float>(line.size());
    const float equal = std::floor((room - gap * (count - 1)) / count);
    const bool is_even = std::ranges::max(line) <= equal;
    const float more = std::max(0.0F, std::floor((room - taken) / count));
    for (const float width : line)
      flowed.push_back({is_even ? equal : std::min(width + more, room), false});
    flowed[begin].new_line = begin > 0;
  }
  return flowed;
}

WidgetRow::WidgetRow(std::span<const std::string_view> texts) : left_(ImGui::GetCursorPosX()) {
  constexpr float kLeastMargin = 0.25F;  // of the usual one
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = ImGui::GetContentRegionAvail().x, gap = style.ItemInnerSpacing.x;
  for (const float share : {1.0F, kLeastMargin}) {
    std::vector<float> least;
    for (const std::string_view text : texts) {
      const float width = ImGui::CalcTextSize(text.data(), text.data() + text.size(), true).x;
      least.push_back(std::ceil(width + 2 * share * style.FramePadding.x));
    }
    std::vector<FlowedWidget> flowed = flow_widgets(least, room, gap);
    const bool wraps = std::ranges::any_of(flowed, &FlowedWidget::new_line);
    if (widgets_.empty() || !wraps) widgets_ = std::move(flowed);
    if (!wraps) return;
  }
}

float WidgetRow::next() {
  const FlowedWidget& widget = widgets_.at(begun_);
  if (widget.new_line)
    ImGui::SetCursorPosX(left_);
  else if (begun_ > 0)
    same_line();
  ++begun_;
  return widget.width;
}

bool WidgetRow::button(const char* label, const char* explanation, bool enabled) {
  ImGui::BeginDisabled(!enabled);
  const bool clicked = fitted_button(label, next());
  ImGui::EndDisabled();
  if (explanation != nullptr) explain(explanation);
  return clicked;
}

bool fitted_button(const char* label, float width) {
  const ImVec2 usual = ImGui::GetStyle().FramePadding;
  const float spare = 0.5F * (width - ImGui::CalcTextSize(label, nullptr, true).x);
  const bool fits = width <= 0 || spare >= usual.x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {fits ? usual.x : std::max(spare, 0.0F), usual.y});
  const bool clicked = ImGui::Button(label, {width, 0});
  ImGui::PopStyleVar();
  return clicked;
}

void beside(const char* text) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float needed = ImGui::GetFrameHeight() + style.ItemInnerSpacing.x +
                       ImGui::CalcTextSize(text, nullptr, true).x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + needed <= right)
    ImGui::SameLine();
  else
    begin_row("");
}

}  // namespace skde::view::ui
