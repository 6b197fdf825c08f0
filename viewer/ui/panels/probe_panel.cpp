#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

void draw_pin_table(const ProbeFacts& facts) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
  const float lines = static_cast<float>(facts.rows.size()) + 2.2F;
  if (!ImGui::BeginTable("##pins", static_cast<int>(facts.columns.size()) + 1, kFlags,
                         {0, lines * ImGui::GetTextLineHeightWithSpacing()}))
    return;
  ImGui::TableSetupColumn("pin");
  for (const std::string& column : facts.columns) ImGui::TableSetupColumn(column.c_str());
  ImGui::TableHeadersRow();
  for (std::size_t i = 0; i < facts.rows.size(); ++i) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(fmt::format("{}", i + 1).c_str());
    for (const std::string& cell : facts.rows[i]) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(cell.c_str());
    }
  }
  ImGui::EndTable();
}

/// Returns the table with tabs between columns, as spreadsheets take it.
std::string table_text(const ProbeFacts& facts) {
  std::string text = fmt::format("{}\n", fmt::join(facts.columns, "\t"));
  for (const auto& row : facts.rows) text += fmt::format("{}\n", fmt::join(row, "\t"));
  return text;
}

}  // namespace

void draw_probe_panel(ViewState& state, const ProbeFacts& facts) {
  draw_field("probe", state);
  explain("A click pins the place (I)");
  if (state.show_probe && facts.columns.empty()) quiet_text("no density yet");
  if (facts.rows.empty()) return;
  draw_pin_table(facts);
  begin_row("pins");
  WidgetRow row{"copy", "less", "clear"};
  if (fitted_button("copy", row.next())) ImGui::SetClipboardText(table_text(facts).c_str());
  explain("The table as text, with tabs between columns");
  if (fitted_button("less", row.next())) state.pins.pop_back();
  explain("Removes the last pin");
  if (fitted_button("clear", row.next())) state.pins.clear();
}

}  // namespace skde::view::ui
