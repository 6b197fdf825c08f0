#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace skde::view::ui {

/// Begins a line with the name of a property; the next widget takes the rest of the line. A mouse
/// that rests on the name is told the explanation.
void begin_row(const char* name, const char* explanation = nullptr);

/// A fact after begin_row().
void wrapped_text(const std::string& text);
/// Letters that stand back behind the others, wrapped.
void quiet_text(const std::string& text);
/// Told about the last widget when the mouse rests on it, also where it is disabled.
void explain(const std::string& text);

/// The next widget stands close behind the last one.
void same_line();
/// Begins equal buttons that fill the rest of the line: the width of each.
float button_width(std::size_t count);
/// A button that looks pressed where `chosen`; true where it was clicked.
bool toggle_button(const char* label, bool chosen, float width);

/// True while a number is being typed into the last widget: what stands there is a beginning, and
/// counts once Return is pressed or another place is clicked. Escape leaves the number as it was.
bool is_being_typed();

/// A slider of positive numbers over a logarithmic range, which widens to hold the value; any
/// other positive number may be typed after a click with Ctrl. True where the value has changed.
bool log_slider(const char* id, double& value, double low, double high, const char* format);

/// A field for the path of a file and two buttons, which ask for it to be written or read.
void file_rows(const char* name, const char* explanation, std::string& path,
               std::optional<std::string>& save, std::optional<std::string>& load);

/// Begins a column of names and values that belong together; ends with ImGui::EndTable().
bool begin_fact_table(const char* id);
/// A row of such a table.
void fact_row(const std::string& name, const std::string& value);

/// A line of buttons of which one is pressed, from a table of names (literals) and values.
template <class Value, std::size_t N>
bool choose_by_button(const std::array<std::pair<std::string_view, Value>, N>& table,
                      Value& value) {
  const float width = button_width(N);
  bool changed = false;
  for (std::size_t i = 0; i < N; ++i) {
    if (i > 0) same_line();
    const auto& [name, meant] = table[i];
    if (!toggle_button(name.data(), value == meant, width) || value == meant) continue;
    value = meant;
    changed = true;
  }
  return changed;
}

}  // namespace skde::view::ui
