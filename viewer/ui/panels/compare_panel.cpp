#include "viewer/ui/panels/side_panels.hpp"

#include <imgui.h>

#include <array>

#include "viewer/session/options/topic_options.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/text_controls.hpp"

namespace skde::view::ui {
namespace {

constexpr std::array<TextControl, 1> kCompareControls{{
    {.name = "with",
     .hint = "nothing",
     .explanation = "Another density B: h=0.3, kernel=gaussian, where=year > 2000, the categories "
                    "of by=COLUMN:A,B, or a file",
     .is_shown = [](const ViewState&) { return true; },
     .text = [](const ViewState& state) { return state.compare.with; },
     .take = [](ViewState& state, const std::string& text) { take_comparison(text, state); }},
}};

}  // namespace

void draw_compare_panel(ViewState& state, const CompareFacts& facts, PanelActions& actions) {
  draw_text_controls(kCompareControls, state, actions);
  if (state.compare.with.empty()) return;
  begin_row("shown", "Side by side with one camera and one axis; A - B; or ln(A / B)");
  choose_by_button(kComparedAs, state.compare.as);
  if (!facts.problem.empty()) quiet_text(facts.problem);
  if (facts.status.busy)
    ImGui::ProgressBar(static_cast<float>(facts.status.share.value_or(0)), {-1, 0},
                       facts.status.stage.c_str());
  for (const std::string& note : facts.notes) quiet_text(note);
  if (facts.lines.empty() || !begin_fact_table("comparison")) return;
  for (const ReadoutLine& line : facts.lines) fact_row(line.label, line.value);
  ImGui::EndTable();
}

}  // namespace skde::view::ui
