#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <cfloat>

#include <algorithm>
#include <array>

#include "viewer/session/density_controls.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

constexpr double kPlaySeconds = 12;  // for all times
constexpr float kLongestPlayStep = 0.1F;

constexpr std::array<TextControl, 1> kTimeControls{{
    {.name = "column",
     .hint = "none: rows of all times",
     .explanation = "Name or number of a column; the picture shows the rows in a window of it",
     .is_shown = [](const ViewState&) { return true; },
     .text = [](const ViewState& state) { return state.time.column; },
     .take =
         [](ViewState& state, const std::string& text) {
           state.time = {};
           state.time.column = text;
         }},
}};

/// Returns where the last window begins.
double last_begin(const TimeRange& range) {
  return std::max(range.least, range.most - (range.to - range.from));
}

/// Draws a slider of times. Returns true if the value has changed.
bool time_slider(const char* id, double& value, double low, double high) {
  double wanted = value;
  if (!ImGui::SliderScalar(id, ImGuiDataType_Double, &wanted, &low, &high, "%.6g",
                           ImGuiSliderFlags_NoRoundToFormat) ||
      is_being_typed() || wanted == value)
    return false;
  value = wanted;
  return true;
}

}  // namespace

void draw_time_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                     PanelActions& actions) {
  draw_text_controls(kTimeControls, state, actions.complaint);
  if (state.time.column.empty() || !facts.time) return;
  const TimeRange& range = *facts.time;
  begin_row("from", "Where the window begins; the window includes both its ends");
  double at = state.time.at.value_or(range.from);
  if (time_slider("##at", at, range.least, last_begin(range))) state.time.at = at;
  actions.holds_frame |= ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  begin_row("window", "Length of the window, in the column's unit");
  double width = state.time.width.value_or(range.to - range.from);
  if (time_slider("##width", width, 0, range.most - range.least))
    state.time.width = std::max(width, 0.0);
  begin_row("");
  if (toggle_button(layout.playing ? "pause" : "play", layout.playing, -FLT_MIN)) {
    layout.playing = !layout.playing;
    if (layout.playing && at >= last_begin(range)) state.time.at = range.least;
  }
  explain("Moves the window through all times, as fast as the densities follow");
  quiet_text(fmt::format("{:.6g} to {:.6g}; all times: {:.6g} to {:.6g}", range.from, range.to,
                         range.least, range.most));
  actions.holds_frame |= layout.playing;
}

void play_time(ViewState& state, const PanelFacts& facts, PanelLayout& layout) {
  if (state.time.column.empty() || !facts.time || !facts.error.empty()) layout.playing = false;
  if (!layout.playing || facts.progress) return;  // the picture shows an earlier window
  const TimeRange& range = *facts.time;
  const double seconds = std::min(ImGui::GetIO().DeltaTime, kLongestPlayStep);
  const double at =
      state.time.at.value_or(range.from) + seconds / kPlaySeconds * (range.most - range.least);
  state.time.at = std::min(at, last_begin(range));
  if (at >= last_begin(range)) layout.playing = false;
}

}  // namespace skde::view::ui
