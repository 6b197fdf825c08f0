#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <imgui_stdlib.h>
#include <cfloat>

#include <string>

#include "cli/text/number_format.hpp"
#include "core/report/error.hpp"
#include "io/points/columns/row_condition.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

/// Draws a menu of what colours or sizes tell: three quantities, and the columns of the files.
void draw_told(const char* label, const char* explanation, PointColors& told, std::string& column,
               const PanelFacts& facts) {
  begin_row(label, explanation);
  const bool by_column = told == PointColors::column;
  const std::string present = by_column ? column : std::string(word_of(kPointColors, told));
  if (!begin_combo(fmt::format("##{}", label).c_str(), present.c_str())) return;
  for (const auto& [name, quantity] : kPointColors) {
    if (quantity == PointColors::column) continue;
    if (ImGui::Selectable(name.data(), told == quantity)) {
      told = quantity;
      column.clear();
    }
  }
  ImGui::Separator();
  for (const std::string& name : facts.columns) {
    if (!ImGui::Selectable(name.c_str(), by_column && column == name)) continue;
    told = PointColors::column;
    column = name;
  }
  ImGui::EndCombo();
}

/// Draws the condition on rows; it counts once it has been typed, and is one.
void draw_condition(PointLook& look) {
  begin_row("only where",
            "Condition on columns, such as mag >= 5 && mag < 6; the density stays that of all");
  std::string wanted = look.where;
  const bool changed = ImGui::InputTextWithHint("##only where", "every sample", &wanted);
  if (!changed || is_being_typed() || wanted == look.where) return;
  try {
    if (!wanted.empty()) io::RowCondition{wanted};
    look.where = wanted;
  } catch (const Error& error) {
    ImGui::SetTooltip("%s", error.what());
  }
}

/// Draws what is selected, and what to do with it.
void draw_selection(ViewState& state, const PanelFacts& facts) {
  begin_row("selected", "Ctrl and a drag in the volume select by a box, with Shift by a lasso");
  if (facts.selected.empty()) {
    quiet_text("none: Ctrl and a drag in the volume, with Shift for a lasso");
  } else {
    wrapped_text(facts.selected);
    begin_row("");
    WidgetRow row{"estimate on these", "select none"};
    if (fitted_button("estimate on these", row.next())) estimate_on_selection(state);
    explain("The density of the selected samples alone");
    if (fitted_button("select none", row.next())) state.selection.reset();
  }
  if (state.within.empty()) return;
  begin_row("");
  if (ImGui::Button("all samples again", {-FLT_MIN, 0})) state.within.clear();
  explain("The density of the whole cloud");
}

}  // namespace

void draw_point_panel(ViewState& state, const PanelFacts& facts) {
  begin_row("show", "In the volume, each at its depth (P); flat slices show those near them");
  ImGui::Checkbox("samples", &state.show_points);
  PointLook& look = state.point_look;
  draw_told("colour",
            "By the density where a sample is, its weight, or a column of numbers or texts",
            look.colors, look.column, facts);
  begin_row("size", "Relative to what suits their number");
  double size = look.size;
  if (log_slider("##size", size, 0.2, 10, "\u00d7 %.3g") && size >= 0.05 && size <= 50)
    look.size = size;
  draw_told("size by", "From half to three times the size: the density, the weight, or a column",
            look.sizes, look.size_column, facts);
  draw_condition(look);
  if (look.needs_columns() && facts.shown_points)
    quiet_text(fmt::format("{} of {} samples", cli::format_count(*facts.shown_points),
                           cli::format_count(facts.samples)));
  draw_selection(state, facts);
}

}  // namespace skde::view::ui
