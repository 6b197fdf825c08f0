#include <fmt/core.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>

#include "cli/text/number_format.hpp"
#include "viewer/ui/panels/side_panels.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

constexpr std::int64_t kMostMembers = 65536;
constexpr float kCurveLetters = 5;  // height of the curve, in letter heights

void draw_members(const MixtureFacts& facts, PanelLayout& layout) {
  begin_row("ellipsoids K", "Ctrl and a click lets you type a number");
  const std::int64_t least = 1;
  const auto most = std::min(kMostMembers, static_cast<std::int64_t>(facts.cells));
  std::int64_t wanted = layout.fitted_members;
  if (ImGui::SliderScalar("##members", ImGuiDataType_S64, &wanted, &least, &most, "%lld",
                          ImGuiSliderFlags_Logarithmic) &&
      !is_being_typed())
    layout.fitted_members = std::clamp(wanted, least, most);
}

void draw_buttons(const MixtureFacts& facts, const PanelLayout& layout, PanelActions& actions) {
  begin_row("");
  WidgetRow row{"start", "stop"};
  ImGui::BeginDisabled(facts.fit.busy);
  if (fitted_button("start", row.next()))
    actions.start_fit = static_cast<std::size_t>(layout.fitted_members);
  ImGui::EndDisabled();
  explain("Fits Gaussians to the density that is shown, by least squares over the cells");
  ImGui::BeginDisabled(!facts.fit.busy);
  if (fitted_button("stop", row.next())) actions.stop_fit = true;
  ImGui::EndDisabled();
  explain("Ends the fit with the ellipsoids that it has");
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

}  // namespace

void draw_mixture_panel(ViewState& state, const MixtureFacts& facts) {
  if (facts.members == 0) {
    quiet_text("No ellipsoids: open a mixture or splats, or fit some to the density.");
    return;
  }
  draw_field("ellipsoids", state);
  if (state.ellipsoids == EllipsoidsShown::off) return;
  if (facts.chosen.empty()) return quiet_text("A click on an ellipsoid shows its numbers.");
  if (!begin_fact_table("##ellipsoid lines")) return;
  for (const ReadoutLine& line : facts.chosen) fact_row(line.label, line.value);
  ImGui::EndTable();
}

void draw_fit_panel(const MixtureFacts& facts, PanelLayout& layout, PanelActions& actions) {
  if (facts.cells == 0) return quiet_text("No density to fit.");
  draw_members(facts, layout);
  draw_buttons(facts, layout, actions);
  draw_curve(facts.fit);
  if (facts.result.empty()) return;
  if (begin_fact_table("##fit lines")) {
    for (const ReadoutLine& line : facts.result) fact_row(line.label, line.value);
    ImGui::EndTable();
  }
  begin_row("file", "The mixture as .ply for viewers of splats, or as .npy or .csv");
  ImGui::InputText("##path", &layout.mixture_path);
  begin_row("");
  ImGui::BeginDisabled(layout.mixture_path.empty());
  if (ImGui::Button("save", {-FLT_MIN, 0})) actions.save_fit = layout.mixture_path;
  ImGui::EndDisabled();
}

}  // namespace skde::view::ui
