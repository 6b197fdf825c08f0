#pragma once

#include <imgui.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/session/view_fields.hpp"

namespace skde::view::ui {

/// Begins a line with the name of a property; the next widget takes the rest of the line. The
/// explanation appears while the mouse rests on the name.
void begin_row(const char* name, const char* explanation = nullptr);

/// Begins a list of choices, which Return opens too; as ImGui::BeginCombo().
bool begin_combo(const char* id, const char* present, int flags = 0);

/// Begins a dialog in the middle, of this size in letter heights where the window has the room; a
/// height of 0 is that of what it holds. Returns whether it is open; ImGui::EndPopup() ends it.
bool begin_dialog(const char* title, float width, float height = 0);

/// Writes wrapped text.
void plain_text(const std::string& text);
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
bool slider(const char* id, double& value, double low, double high, const char* format,
            bool logarithmic = false);
/// Draws a slider of positive numbers over a logarithmic range, which widens to hold the value.
/// After Ctrl and a click, any positive number may be typed. Returns true if the value has changed.
bool log_slider(const char* id, double& value, double low, double high, const char* format);

/// Draws a field for a file path and two buttons that request writing or reading the file.
void file_rows(const ViewField& field, std::string& path, std::optional<std::string>& save,
               std::optional<std::string>& load);

/// Begins the line of a control, with its name and explanation; or its place beside the widget
/// before it.
void begin_row(const ViewField& field);
/// Draws the widget of a field. Returns true if it has changed. Throws Error, and leaves the state,
/// if a typed text cannot be used.
bool draw_value(const ViewField& field, ViewState& state);
/// Draws the line of a field, if the field has an effect. If its text cannot be used, `complaint`
/// says why.
bool draw_field(const ViewField& field, ViewState& state, std::string& complaint);

/// Draws a table of these lines, if there are any.
void fact_table(const char* id, std::span<const ReadoutLine> lines);

/// Draws a line of buttons with these names, which end in 0, one of which is pressed. Returns the
/// one that was clicked; none if it was pressed before.
std::optional<std::size_t> clicked_name(std::span<const std::string_view> names,
                                        std::size_t pressed);

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

inline constexpr double kLeastMass = 1e-3;  ///< of a surface, and 1 less the most, as one drags it

/// The nested surfaces as lines over a histogram of densities, each with its share of the mass.
struct SurfaceLines {
  ImVec2 upper_left, lower_right;  ///< of the histogram, in pixels
  float scale;
  ValueAxis axis;  ///< along the histogram
  const MassProfile& masses;

  /// Lets the mouse drag a line of the last widget between its neighbours, which changes its mass.
  /// Returns true while it holds a line or hovers over one. `grabbed` is the line that it holds.
  bool handle_mouse(ViewState& state, std::optional<std::size_t>& grabbed) const;
  void draw(ImDrawList& list, const ViewState& state) const;

 private:
  std::optional<float> place(const ViewState& state, std::size_t surface) const;
  void drag(ViewState& state, std::size_t surface) const;
};

}  // namespace skde::view::ui
