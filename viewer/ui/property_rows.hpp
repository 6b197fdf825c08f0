#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {

/// Begins a line with the name of a property; the next widget takes the rest of the line. The
/// explanation appears while the mouse rests on the name.
void begin_row(const char* name, const char* explanation = nullptr);

/// Begins a list of choices, which Return opens too; as ImGui::BeginCombo().
bool begin_combo(const char* id, const char* present, int flags = 0);

/// Writes a fact after begin_row().
void wrapped_text(const std::string& text);
/// Writes wrapped text in a less prominent colour.
void quiet_text(const std::string& text);
/// Shows a tooltip while the mouse rests on the last widget, even if that is disabled.
void explain(const std::string& text);

/// Puts the next widget close behind the last one.
void same_line();
/// Draws a button that looks pressed if `chosen`; returns true if it was clicked.
bool toggle_button(const char* label, bool chosen, float width);

/// Returns true while a number is being typed into the last widget. The number counts once the user
/// presses Return or clicks another place; Escape restores the old one.
bool is_being_typed();

/// Draws a slider from `low` to `high`; after Ctrl and a click, any finite number may be typed.
/// Returns true if the value has changed.
bool slider(const char* id, double& value, double low, double high, const char* format);
/// Draws a slider of positive numbers over a logarithmic range, which widens to hold the value.
/// After Ctrl and a click, any positive number may be typed. Returns true if the value has changed.
bool log_slider(const char* id, double& value, double low, double high, const char* format);

/// Draws a field for a file path and two buttons that request writing or reading the file.
void file_rows(const char* name, const char* explanation, std::string& path,
               std::optional<std::string>& save, std::optional<std::string>& load);

/// Begins a two-column table of names and values; end it with ImGui::EndTable().
bool begin_fact_table(const char* id);
/// Adds a row to such a table.
void fact_row(const std::string& name, const std::string& value);

/// Draws a line of buttons, one of which is pressed, from a table of names (literals) and values.
template <class Value, std::size_t N>
bool choose_by_button(const std::array<std::pair<std::string_view, Value>, N>& table,
                      Value& value) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) names[i] = table[i].first;
  WidgetRow row(names);
  bool changed = false;
  for (std::size_t i = 0; i < N; ++i) {
    const auto& [name, meant] = table[i];
    if (!toggle_button(name.data(), value == meant, row.next()) || value == meant) continue;
    value = meant;
    changed = true;
  }
  return changed;
}

}  // namespace skde::view::ui
