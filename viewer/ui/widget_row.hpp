#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skde::view::ui {

/// The place of a widget in a row that wraps.
struct FlowedWidget {
  float width = 0;        ///< pixels
  bool new_line = false;  ///< whether it begins a further line
};

/// Puts widgets of these least widths beside each other, `gap` pixels apart, in as few lines as
/// they need, which they fill: with equal widths where those suffice. A widget that is wider than
/// the room has a line of its own, as wide as the room. All in pixels.
std::vector<FlowedWidget> flow_widgets(std::span<const float> least, float room, float gap);

/// Widgets beside each other in the rest of a line, and in further lines below where their texts
/// need them. Rather than wrap, they give up most of their margins.
class WidgetRow {
 public:
  /// Begins a row of widgets with these texts, whose ids after "##" do not count.
  explicit WidgetRow(std::initializer_list<std::string_view> texts)
      : WidgetRow(std::span(texts.begin(), texts.size())) {}
  explicit WidgetRow(std::span<const std::string_view> texts);

  /// Begins the next widget, and returns its width in pixels.
  float next();
  /// Draws the next widget as a button; returns true if it was clicked.
  bool button(const char* label, const char* explanation = nullptr, bool enabled = true);

 private:
  std::vector<FlowedWidget> widgets_;
  std::size_t begun_ = 0;
  float left_;
};

/// Draws a button of a row; its text takes the margins if it needs them. Returns true if clicked.
bool fitted_button(const char* label, float width);

/// Begins a checkbox beside the widget before it, or below if its text has no room there.
void beside(const char* text);

}  // namespace skde::view::ui
