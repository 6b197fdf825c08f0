#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "viewer/session/density_controls.hpp"
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

/// Draws the widget of the field with this key of the state. Returns true if it has changed.
bool draw_field(std::string_view key, ViewState& state);

/// Draws a row for each shown control. Text that cannot be used leaves the state unchanged and is
/// reported in complaint.
void draw_text_controls(std::span<const TextControl> controls, ViewState& state,
                        std::string& complaint);

/// Begins a two-column table of names and values; end it with ImGui::EndTable().
bool begin_fact_table(const char* id);
/// Adds a row to such a table.
void fact_row(const std::string& name, const std::string& value);

/// Draws a line of buttons with these names, which end in 0, one of which is pressed. Returns the
/// one that was clicked; none if it was pressed before.
std::optional<std::size_t> clicked_name(std::span<const std::string_view> names,
                                        std::size_t pressed);

/// Draws such a line from a table of names (literals) and values. Returns true if the value has
/// changed.
template <class Value, std::size_t N>
bool choose_by_button(const std::array<std::pair<std::string_view, Value>, N>& table,
                      Value& value) {
  std::array<std::string_view, N> names;
  std::size_t pressed = N;
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = table[i].first;
    if (table[i].second == value) pressed = i;
  }
  const std::optional<std::size_t> clicked = clicked_name(names, pressed);
  if (clicked) value = table[*clicked].second;
  return clicked.has_value();
}

}  // namespace skde::view::ui
