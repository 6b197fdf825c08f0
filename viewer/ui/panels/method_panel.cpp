#include "viewer/ui/panels/side_panels.hpp"

#include <imgui.h>

#include <algorithm>

#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

/// Draws a slider of integers with arrows for the next and the previous one. Returns true if the
/// number has changed; it stays within least..most.
bool step_slider(const char* id, std::int64_t& value, std::int64_t least, std::int64_t most,
                 const char* format) {
  const float arrow = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  std::int64_t wanted = value;
  ImGui::PushID(id);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - 2 * (arrow + gap));
  ImGui::SliderScalar("##slider", ImGuiDataType_S64, &wanted, &least, &most, format);
  if (is_being_typed()) wanted = value;
  ImGui::PushButtonRepeat(true);
  same_line();
  if (ImGui::ArrowButton("##less", ImGuiDir_Left)) --wanted;
  same_line();
  if (ImGui::ArrowButton("##more", ImGuiDir_Right)) ++wanted;
  ImGui::PopButtonRepeat();
  ImGui::PopID();
  wanted = std::clamp(wanted, least, most);
  if (wanted == value) return false;
  value = wanted;
  return true;
}

void draw_sample(ViewState& state, const PanelFacts& facts) {
  begin_row("sample", "A click on a point of the volume also chooses it");
  const auto last = static_cast<std::int64_t>(facts.samples) - 1;
  step_slider("sample", state.sample, 0, last, "%lld");
}

void draw_slice(ViewState& state, const PanelFacts& facts) {
  begin_row("slice", "One of the kernel's slices that chop keeps");
  if (facts.slices.empty()) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("the kernel reaches none");
    return;
  }
  const std::int64_t first = facts.slices.begin, last = facts.slices.end - 1;
  const std::int64_t shown =
      state.slice >= 0 ? state.slice : facts.slice.value_or(facts.slices.begin);
  std::int64_t slice = std::clamp(shown, first, last);
  if (step_slider("slice", slice, first, last, "z = %lld")) state.slice = slice;
  begin_row("");
  bool through = state.slice < 0;
  if (ImGui::Checkbox("through the sample", &through)) state.slice = through ? -1 : slice;
}

void draw_lines(const char* title, const char* id, const std::vector<ReadoutLine>& lines) {
  if (lines.empty()) return;
  ImGui::Spacing();
  ImGui::TextUnformatted(title);
  if (!begin_fact_table(id)) return;
  for (const ReadoutLine& line : lines) fact_row(line.label, line.value);
  ImGui::EndTable();
}

}  // namespace

void draw_method_panel(ViewState& state, const PanelFacts& facts) {
  if (facts.samples == 0) {
    quiet_text("No samples: the method needs a cloud, not a volume.");
    return;
  }
  draw_sample(state, facts);
  draw_slice(state, facts);
  for (const char* const key : {"full_slices", "method/plays", "method/apart"})
    draw_field(key, state);
  draw_lines("Sample", "##sample lines", facts.readout.sample);
  draw_lines("This slice", "##slice lines", facts.readout.slice);
  draw_lines("All slices", "##total lines", facts.readout.total);
}

}  // namespace skde::view::ui
