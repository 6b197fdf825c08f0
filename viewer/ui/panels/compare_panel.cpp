#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/error.hpp"
#include "viewer/session/category_choice.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/ui/property_rows.hpp"

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

/// Draws a menu of values; returns the one that was picked.
const std::string* pick(const char* label, const char* explanation, const std::string& present,
                        const std::vector<std::string>& values) {
  begin_row(label, explanation);
  const std::string* picked = nullptr;
  if (!begin_combo(fmt::format("##{}", label).c_str(), present.c_str())) return picked;
  for (const std::string& value : values)
    if (ImGui::Selectable(value.c_str(), value == present)) picked = &value;
  ImGui::EndCombo();
  return picked;
}

void draw_categories(ViewState& state, const std::vector<std::string>& columns,
                     CategoryChoice& choice, PanelActions& actions) {
  const bool chosen = !choice.column.empty() && state.cloud.columns.where == choice.now;
  try {
    if (const auto* const column = pick("by", "Compares the rows of two values of a column",
                                        chosen ? choice.column : "", columns))
      return choose_categories(*column, choice, state);
    if (!chosen) return;
    for (const auto& [label, value] : {std::pair("A", &choice.a), std::pair("B", &choice.b)})
      if (const auto* const picked = pick(label, "The most frequent ones", *value, choice.values)) {
        *value = *picked;
        compare_categories(choice, state);
      }
  } catch (const Error& error) {
    actions.complaint = cli::error_text(error);
  }
}

}  // namespace

void draw_compare_panel(ViewState& state, const PanelFacts& told, PanelLayout& layout,
                        PanelActions& actions) {
  const CompareFacts& facts = told.compare;
  draw_text_controls(kCompareControls, state, actions.complaint);
  if (!told.columns.empty()) draw_categories(state, told.columns, layout.categories, actions);
  if (state.compare.with.empty()) return;
  draw_field("compare/as", state);
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
