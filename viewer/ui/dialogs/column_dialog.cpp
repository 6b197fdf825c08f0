#include "viewer/ui/dialogs/file_dialog.hpp"

#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

constexpr const char* kColumnsTitle = "Choose the columns";
constexpr float kColumnsLetters = 40;  // width in letter heights
constexpr float kNumberLetters = 6;    // least width of a column
constexpr int kMostColumns = 60;       // that a table of Dear ImGui has room for

/// Draws a menu of the columns, with a line for none if `none` says what that means.
bool choose_column(const char* id, const ColumnChoice& choice, std::optional<std::size_t>& column,
                   const char* none) {
  const std::string present = column ? choice.names[*column] : none;
  if (!begin_combo(id, present.c_str())) return false;
  bool changed = false;
  const auto line = [&](const std::string& name, std::optional<std::size_t> meant) {
    if (ImGui::Selectable(name.c_str(), column == meant)) column = meant, changed = true;
    if (column == meant && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
  };
  if (none[0] != '\0') line(none, std::nullopt);
  for (std::size_t i = 0; i < choice.names.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    line(choice.names[i], i);
    ImGui::PopID();
  }
  ImGui::EndCombo();
  return changed;
}

void draw_choosers(ColumnChoice& choice) {
  constexpr std::array kAxes{"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    begin_row(kAxes[axis]);
    std::optional<std::size_t> column = choice.xyz[axis];
    ImGui::PushID(static_cast<int>(axis));
    if (choose_column("##axis", choice, column, "")) choice.xyz[axis] = *column;
    ImGui::PopID();
  }
  begin_row("weights", "Of the samples; they need not sum to 1");
  choose_column("##weights", choice, choice.weight, "all 1");
  begin_row("widths", "A bandwidth of each sample, as a length");
  choose_column("##widths", choice, choice.width, "one bandwidth for all");
}

/// Returns what a column is chosen as; empty if it is not.
std::string role(const ColumnChoice& choice, std::size_t column) {
  std::string roles;
  const auto add = [&](bool is, const char* name) {
    if (is) roles += (roles.empty() ? "" : ", ") + std::string(name);
  };
  add(choice.xyz[0] == column, "x");
  add(choice.xyz[1] == column, "y");
  add(choice.xyz[2] == column, "z");
  add(choice.weight == column, "weight");
  add(choice.width == column, "width");
  return roles;
}

/// Draws the first rows, with the chosen columns marked.
void draw_rows(const ColumnChoice& choice) {
  const int columns = std::min(static_cast<int>(choice.names.size()), kMostColumns);
  const float rows = static_cast<float>(choice.rows.size()) + 2;
  const float height =
      rows * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ScrollbarSize;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("##rows", columns, kFlags, {0, height})) return;
  for (int i = 0; i < columns; ++i)
    ImGui::TableSetupColumn(choice.names[static_cast<std::size_t>(i)].c_str(), 0,
                            kNumberLetters * ImGui::GetFontSize());
  ImGui::TableHeadersRow();
  ImGui::TableNextRow();
  for (int i = 0; i < columns; ++i) {
    ImGui::TableNextColumn();
    const std::string chosen = role(choice, static_cast<std::size_t>(i));
    if (chosen.empty()) continue;
    ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, ImGui::GetColorU32(ImGuiCol_ButtonActive));
    ImGui::TextUnformatted(chosen.c_str());
  }
  for (const std::vector<double>& row : choice.rows) {
    ImGui::TableNextRow();
    for (int i = 0; i < columns; ++i) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(fmt::format("{:.8g}", row[static_cast<std::size_t>(i)]).c_str());
    }
  }
  ImGui::EndTable();
}

/// Returns true if the dialog was closed without a choice.
bool draw_column_buttons(const ColumnChoice& choice, const std::vector<Remedy>& remedies,
                         FileActions& actions) {
  const ImVec2 size{5.5F * ImGui::GetFontSize(), 0};
  remedy_buttons(remedies, actions);
  if (!choice.is_complete()) quiet_text("x, y and z must be three columns");
  ImGui::BeginDisabled(!choice.is_complete());
  const bool entered =
      ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && key_pressed(GLFW_KEY_ENTER);
  if (ImGui::Button("open", size) || (entered && choice.is_complete())) actions.columns = choice;
  ImGui::EndDisabled();
  ImGui::SameLine(ImGui::GetContentRegionMax().x - size.x);
  return ImGui::Button("cancel", size) || key_pressed(GLFW_KEY_ESCAPE);
}

}  // namespace

void remedy_buttons(const std::vector<Remedy>& remedies, FileActions& actions) {
  for (const Remedy& remedy : remedies)
    if (ImGui::Button(("use " + remedy.label).c_str())) actions.remedy = remedy;
}

bool draw_column_dialog(const ColumnChoice* offered, const std::vector<Remedy>& remedies,
                        FileDesk& desk, FileActions& actions) {
  if (offered == nullptr) {
    desk.columns.reset();
    return false;
  }
  if (!desk.columns) {
    desk.columns = *offered;
    ImGui::OpenPopup(kColumnsTitle);
  }
  if (!begin_dialog(kColumnsTitle, kColumnsLetters)) return false;
  wrapped_text(desk.columns->why.empty() ? base_name(desk.columns->file) : desk.columns->why);
  ImGui::Spacing();
  draw_rows(*desk.columns);
  ImGui::Spacing();
  draw_choosers(*desk.columns);
  ImGui::Spacing();
  const bool closed = draw_column_buttons(*desk.columns, remedies, actions);
  if (closed || actions.columns || actions.remedy) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return closed;
}

}  // namespace skde::view::ui
