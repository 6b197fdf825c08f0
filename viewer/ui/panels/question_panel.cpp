#include "viewer/ui/panels/panels.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <glm/gtc/constants.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/ui/property_rows.hpp"

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

void draw_probe(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const ProbeFacts& facts = panel.facts.probe;
  draw_field(field, state, panel.actions.complaint);
  if (state.show_probe && facts.columns.empty()) quiet_text("no density yet");
  if (facts.rows.empty()) return;
  draw_pin_table(facts);
  begin_row("pins");
  WidgetRow row{"copy", "less", "clear"};
  if (row.button("copy", "The table as text, with tabs between columns"))
    ImGui::SetClipboardText(table_text(facts).c_str());
  if (row.button("less", "Removes the last pin")) state.pins.pop_back();
  if (row.button("clear")) state.pins.clear();
}

constexpr double kPlaySeconds = 12;  // for all times
constexpr float kLongestPlayStep = 0.1F;

/// Returns where the last window begins.
double last_begin(const TimeRange& range) {
  return std::max(range.least, range.most - (range.to - range.from));
}

void draw_time(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  PanelLayout& layout = panel.layout;
  PanelActions& actions = panel.actions;
  draw_field(field, state, actions.complaint);
  if (state.time.column.empty() || !facts.time) return;
  const TimeRange& range = *facts.time;
  begin_row("from", "Where the window begins; the window includes both its ends");
  double at = state.time.at.value_or(range.from);
  if (slider("##at", at, range.least, last_begin(range), "%.6g")) state.time.at = at;
  actions.holds_frame |= ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  begin_row("length", "Of the window, in the column's unit");
  double width = state.time.width.value_or(range.to - range.from);
  if (slider("##width", width, 0, range.most - range.least, "%.6g"))
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

constexpr double kLeastShare = 1e-3;  // of an edge, that a slider leaves between two faces

/// Returns the unit vector at these degrees around and above, as a camera's.
glm::dvec3 direction(double azimuth, double elevation) {
  const double a = glm::radians(azimuth), e = glm::radians(elevation);
  return {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
}

/// Draws the lower and the upper face of the box along an axis.
void draw_faces(const char* name, int axis, const Box& bounds, Box& box) {
  begin_row(name, "Faces of the box; Ctrl and a click lets you type a number");
  ImGui::PushID(axis);
  const double least = bounds.lower[axis], most = bounds.upper[axis];
  const double gap = kLeastShare * (most - least);
  WidgetRow row{"-0.0000", "-0.0000"};
  ImGui::SetNextItemWidth(row.next());
  double low = box.lower[axis], high = box.upper[axis];
  if (slider("##low", low, least, most, "%.4g")) box.lower[axis] = std::min(low, high - gap);
  ImGui::SetNextItemWidth(row.next());
  if (slider("##high", high, least, most, "%.4g"))
    box.upper[axis] = std::max(high, box.lower[axis] + gap);
  ImGui::PopID();
}

void draw_box(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  if (!facts.grid) return;
  const Box bounds = facts.grid->bounds();
  begin_row(field);
  bool on = state.clip.box.has_value();
  if (ImGui::Checkbox("inside only", &on))
    state.clip.box = on ? std::optional(bounds) : std::nullopt;
  if (!state.clip.box) return;
  for (int axis = 0; axis < 3; ++axis)
    draw_faces(facts.axes.name(static_cast<std::size_t>(axis)).c_str(), axis, bounds,
               *state.clip.box);
}

/// Draws the direction of the plane's normal, turning it about the middle of what it cuts.
void draw_normal(ClipPlane& plane, const SceneFrame& frame) {
  const glm::dvec4 scene = scene_plane(plane, frame);
  double azimuth = glm::degrees(std::atan2(scene.y, scene.x));
  double elevation = glm::degrees(std::asin(std::clamp(scene.z, -1.0, 1.0)));
  begin_row("normal", "Degrees around the vertical, and above the horizon, as the camera's");
  WidgetRow row{"az -100.0\u00b0", "el -10.00\u00b0"};
  ImGui::SetNextItemWidth(row.next());
  bool turned = slider("##around", azimuth, -180, 180, "az %.4g\u00b0");
  ImGui::SetNextItemWidth(row.next());
  turned |= slider("##above", elevation, -90, 90, "el %.4g\u00b0");
  // About the foot of the perpendicular from the middle, so that the cut does not leap.
  const Vec3 foot = frame.to_world(scene.w * glm::dvec3(scene));
  if (turned) plane = plane_through(foot, direction(azimuth, elevation), frame);
}

/// Draws how far the plane is from the middle, along its normal, in scene units.
void draw_distance(ClipPlane& plane, const SceneFrame& frame) {
  const glm::dvec4 scene = scene_plane(plane, frame);
  const glm::dvec3 normal(scene);
  const double reach = glm::dot(glm::abs(normal), frame.half());
  double percent = 100 * scene.w / reach;
  begin_row("position", "-100 %: all is cut away; 100 %: nothing is");
  if (slider("##position", percent, -100, 100, "%.4g %%"))
    plane = plane_through(frame.to_world(percent / 100 * reach * normal), normal, frame);
}

void draw_plane(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  if (!facts.grid) return;
  const auto faced = [&] {
    return plane_through(facts.grid->bounds().centre(),
                         direction(state.camera.azimuth, state.camera.elevation), facts.frame);
  };
  begin_row(field);
  bool on = state.clip.plane.has_value();
  if (ImGui::Checkbox("cut", &on)) state.clip.plane = on ? std::optional(faced()) : std::nullopt;
  if (!state.clip.plane) return;
  ClipPlane& plane = *state.clip.plane;
  begin_row("");
  WidgetRow row{"face me", "other side"};
  if (row.button("face me", "Through the middle, and facing the camera")) plane = faced();
  if (row.button("other side")) plane = {-1.0 * plane.normal, -plane.offset};
  draw_normal(plane, facts.frame);
  draw_distance(plane, facts.frame);
}

void draw_sections(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  if (!facts.grid) return;
  Sections& sections = state.sections;
  begin_row(field);
  draw_value(view_field("sections/shown"), state);
  if (sections.shown == SectionsShown::off && state.layout != ViewLayout::slices) return;
  const Grid& grid = *facts.grid;
  Vec3 at = sections.place(grid);
  const Box bounds = grid.bounds();
  for (int axis = 0; axis < 3; ++axis) {
    begin_row(facts.axes.name(static_cast<std::size_t>(axis)).c_str(),
              "Where the slices meet; drag the cross-hair, or this slider");
    ImGui::PushID(axis);
    if (slider("##at", at[axis], bounds.lower[axis], bounds.upper[axis], "%.5g")) sections.at = at;
    ImGui::PopID();
  }
  begin_row("");
  quiet_text(fmt::format(
      "cell {}, {}, {}: {}", section_cell(grid, at, 0), section_cell(grid, at, 1),
      section_cell(grid, at, 2),
      facts.file_facts.has_density ? cli::format_value(facts.at_sections) : "no density yet"));
  if (state.layout != ViewLayout::slices) return;
  begin_row("samples", "Those this near to a slice are drawn over it: a share of the box's edge");
  double percent = 100 * sections.near;
  if (slider("##near", percent, 0, 20, "within %.3g %%") && percent >= 0 && percent <= 100)
    sections.near = percent / 100;
}

void draw_peak(const ViewField& field, Panel& panel) {
  const PanelFacts& facts = panel.facts;
  if (!facts.peak_place) return;
  const Vec3 at = *facts.peak_place;
  begin_row(field);
  wrapped_text(fmt::format("{:.5g}, {:.5g}, {:.5g}\nvalue {}", at.x, at.y, at.z,
                           cli::format_value(facts.peak)));
  begin_row("");
  panel.actions.slices_at_peak |= ImGui::Button("slices through it", {-1, 0});
}

/// Draws a menu of values; returns the one that was picked.
const std::string* pick(const char* label, const char* explanation, const std::string& present,
                        const std::vector<std::string>& values) {
  begin_row(label, explanation);
  const std::string* picked = nullptr;
  if (!begin_combo(fmt::format("##{}", label).c_str(), present.c_str())) return picked;
  for (const std::string& value : values)
    if (ImGui::Selectable(value.c_str(), value == present)) picked = &value;
  ImGui::EndCombo();
  return picked;
}

void draw_categories(ViewState& state, const std::vector<std::string>& columns,
                     CategoryChoice& choice, PanelActions& actions) {
  const bool chosen = !choice.column.empty() && state.cloud.columns.where == choice.now;
  try {
    if (const auto* const column = pick("by", "Compares the rows of two values of a column",
                                        chosen ? choice.column : "", columns))
      return choose_categories(*column, choice, state);
    if (!chosen) return;
    for (const auto& [label, value] : {std::pair("A", &choice.a), std::pair("B", &choice.b)})
      if (const auto* const picked = pick(label, "The most frequent ones", *value, choice.values)) {
        *value = *picked;
        compare_categories(choice, state);
      }
  } catch (const Error& error) {
    actions.complaint = cli::error_text(error);
  }
}

void draw_compare(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const CompareFacts& facts = panel.facts.compare;
  draw_field(field, state, panel.actions.complaint);
  if (!panel.facts.columns.empty())
    draw_categories(state, panel.facts.columns, panel.layout.categories, panel.actions);
  if (state.compare.with.empty()) return;
  if (!facts.problem.empty()) quiet_text(facts.problem);
  if (facts.status.busy)
    ImGui::ProgressBar(static_cast<float>(facts.status.share.value_or(0)), {-1, 0},
                       facts.status.stage.c_str());
  for (const std::string& note : facts.notes) quiet_text(note);
  fact_table("comparison", facts.lines);
}

/// Draws the slider of B's h, relative to that of A.
void draw_other_h(const ViewField& field, Panel& panel) {
  const PanelFacts& facts = panel.facts;
  if (!facts.h || facts.own_kernels || facts.samples == 0 || facts.is_stream) return;
  constexpr double kMost = 8;
  const double other = compared_h(panel.state.compare);
  double factor = other > 0 ? other / *facts.h : 1;
  begin_row(field);
  if (log_slider("##factor", factor, 1 / kMost, kMost, "\u00d7 %.3g"))
    compare_bandwidths(panel.state, factor * *facts.h);
}

}  // namespace

std::span<const ControlDrawer> question_drawers() {
  static constexpr ControlDrawer kDrawers[] = {
      {"probe", draw_probe},     {"time", draw_time},      {"slices", draw_sections},
      {"peak", draw_peak},       {"clip box", draw_box},   {"clip plane", draw_plane},
      {"other h", draw_other_h}, {"compare", draw_compare}};
  return kDrawers;
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
