#include "viewer/ui/panels/panels.hpp"

#include <fmt/core.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>

#include "cli/text/terminal_text.hpp"
#include "viewer/ui/property_rows.hpp"

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

void draw_sample(const ViewField& field, Panel& panel) {
  if (panel.facts.samples == 0)
    return quiet_text("No samples: the method needs a cloud, not a volume.");
  begin_row(field);
  const auto last = static_cast<std::int64_t>(panel.facts.samples) - 1;
  step_slider("sample", panel.state.sample, 0, last, "%lld");
}

void draw_slice(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  if (facts.samples == 0) return;
  begin_row(field);
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
  fact_table(id, lines);
}

constexpr std::int64_t kMostMembers = 65536;
constexpr float kCurveLetters = 5;  // height of the curve, in letter heights

void draw_members(const ViewField& field, const MixtureFacts& facts, PanelLayout& layout) {
  begin_row(field);
  const std::int64_t least = 1;
  const auto most = std::min(kMostMembers, static_cast<std::int64_t>(facts.cells));
  std::int64_t wanted = layout.fitted_members;
  if (ImGui::SliderScalar("##members", ImGuiDataType_S64, &wanted, &least, &most, "%lld ellipsoids",
                          ImGuiSliderFlags_Logarithmic) &&
      !is_being_typed())
    layout.fitted_members = std::clamp(wanted, least, most);
}

void draw_buttons(const MixtureFacts& facts, const PanelLayout& layout, PanelActions& actions) {
  begin_row("");
  WidgetRow row{"start", "stop"};
  if (row.button("start",
                 "Fits Gaussians to the density that is shown, by least squares over the cells",
                 !facts.fit.busy))
    actions.start_fit = static_cast<std::size_t>(layout.fitted_members);
  if (row.button("stop", "Ends the fit with the ellipsoids that it has", facts.fit.busy))
    actions.stop_fit = true;
}

/// Draws the relative error over the steps; its lower edge is 0.
void draw_curve(const FitStatus& fit) {
  if (!fit.busy && fit.errors.empty()) return;
  begin_row("error", "Relative L2 error over the cells, after each 50 steps");
  const float most = fit.errors.empty() ? 1 : *std::ranges::max_element(fit.errors);
  ImGui::PlotLines("##error", fit.errors.data(), static_cast<int>(fit.errors.size()), 0, nullptr, 0,
                   most, {ImGui::GetContentRegionAvail().x, kCurveLetters * ImGui::GetFontSize()});
  begin_row("");
  std::string text = fit.busy ? fit.stage : "";
  if (!fit.errors.empty())
    text = fmt::format("{} after {} of {} steps", cli::format_share(fit.errors.back()), fit.step,
                       fit.steps);
  wrapped_text(text);
}

void draw_ellipsoids(const ViewField& field, Panel& panel) {
  const MixtureFacts& facts = panel.facts.mixture;
  if (facts.members == 0) return;
  draw_field(field, panel.state, panel.actions.complaint);
  if (panel.state.ellipsoids == EllipsoidsShown::off) return;
  if (facts.chosen.empty()) return quiet_text("A click on an ellipsoid shows its numbers.");
  fact_table("##ellipsoid lines", facts.chosen);
}

void draw_fit(const ViewField& field, Panel& panel) {
  const MixtureFacts& facts = panel.facts.mixture;
  PanelLayout& layout = panel.layout;
  if (facts.cells == 0) return;
  draw_members(field, facts, layout);
  draw_buttons(facts, layout, panel.actions);
  draw_curve(facts.fit);
  if (facts.result.empty()) return;
  fact_table("##fit lines", facts.result);
  begin_row("mixture file", "The mixture as .ply for viewers of splats, or as .npy or .csv");
  ImGui::InputText("##path", &layout.mixture_path);
  begin_row("");
  ImGui::BeginDisabled(layout.mixture_path.empty());
  if (ImGui::Button("save", {-FLT_MIN, 0})) panel.actions.save_fit = layout.mixture_path;
  ImGui::EndDisabled();
}

}  // namespace

std::span<const ControlDrawer> method_drawers() {
  static constexpr ControlDrawer kDrawers[] = {{"sample", draw_sample},
                                               {"kernel slice", draw_slice},
                                               {"ellipsoids", draw_ellipsoids},
                                               {"fit", draw_fit}};
  return kDrawers;
}

void draw_readout(const MethodReadout& readout) {
  draw_lines("Sample", "##sample lines", readout.sample);
  draw_lines("This slice", "##slice lines", readout.slice);
  draw_lines("All slices", "##total lines", readout.total);
}

}  // namespace skde::view::ui
