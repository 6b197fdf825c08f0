#include "viewer/ui/cloud_panel.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <optional>

#include "core/error.hpp"
#include "viewer/session/control_names.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

/// A field of letters, which count once Return is pressed or another place is clicked: the new
/// text then.
std::optional<std::string> text_row(const char* name, const char* id, const char* hint,
                                    const char* explanation, const std::string& present) {
  begin_row(name, explanation);
  std::string wanted = present;
  const bool changed = ImGui::InputTextWithHint(id, hint, &wanted);
  if (!changed || is_being_typed() || wanted == present) return std::nullopt;
  return wanted;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ",";
    text += name;
  }
  return text;
}

/// Three names, or none.
std::vector<std::string> column_names(const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    names.push_back(text.substr(begin, comma - begin));
    if (comma == text.npos) break;
    begin = comma + 1;
  }
  if (names.size() != 3)
    throw Error(ErrorKind::usage, fmt::format("'{}' does not name three columns", text),
                {"columns", "give `columns` as three names or numbers with commas between them"});
  return names;
}

std::string text_of(const std::optional<Box>& box) {
  if (!box) return "";
  const auto& [a, b] = *box;
  return fmt::format("{:.10g},{:.10g},{:.10g}:{:.10g},{:.10g},{:.10g}", a.x, a.y, a.z, b.x, b.y,
                     b.z);
}

void draw_columns(ViewState& state) {
  if (const auto text = text_row("columns", "##columns", "named x, y, z, or the first three",
                                 "Three names or numbers of columns, with commas between them",
                                 joined(state.cloud.columns.coordinates)))
    state.cloud.columns.coordinates = column_names(*text);
  if (const auto text = text_row("weights", "##weights", "all 1", "Name or number of a column",
                                 state.cloud.columns.weight))
    state.cloud.columns.weight = *text;
}

void draw_bounds(ViewState& state) {
  const auto text =
      text_row("bounds", "##bounds", "the cloud and its kernels",
               "Outer faces of the box: X0,Y0,Z0:X1,Y1,Z1", text_of(state.density.grid.bounds));
  if (!text) return;
  if (text->empty())
    state.density.grid.bounds.reset();
  else
    state.density.grid.bounds = parse_bounds(*text);
  state.density.like.reset();  // which would have the last word
}

}  // namespace

void draw_cloud_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions) {
  if (facts.is_volume_file) {
    quiet_text(facts.values.units.empty() ? "A volume without units."
                                          : "A volume in " + facts.values.units + ".");
    return;
  }
  try {
    draw_columns(state);
    if (const auto text =
            text_row("units", "##units", "unknown", "Of the coordinates: m, km", state.units))
      state.units = *text;
    draw_bounds(state);
  } catch (const Error& error) {
    actions.complaint = text_with_controls(error);
  }
}

}  // namespace skde::view::ui
