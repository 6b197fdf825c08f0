#include "viewer/ui/panels/panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <string>

#include "cli/text/terminal_text.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

/// Draws the isovalue as a density, the quantity that users know.
void draw_isovalue(ViewState& state) {
  const ValueAxis& axis = state.transfer.axis;
  begin_row("isovalue", "Density of the surface; Ctrl and a click lets you type a number");
  double value = axis.value_at(state.isovalue);
  if (slider("##isovalue", value, axis.low, axis.high, "%.4g", axis.logarithmic))
    state.isovalue = axis.share_of(value);
}

/// Draws the share of the mass of each nested surface, with its density and volume below.
void draw_masses(ViewState& state, const PanelFacts& facts) {
  const std::string cube = facts.axes.units.empty() ? "" : " " + facts.axes.units + "\u00b3";
  for (std::size_t i = 0; i < state.masses.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    begin_row(i == 0 ? "mass inside" : "", "Drag a line of the histogram, or this slider");
    double percent = 100 * state.masses[i];
    const double least = kLeastMass * 100, most = 100 - least;
    if (ImGui::SliderScalar("##mass", ImGuiDataType_Double, &percent, &least, &most, "%.4g %%") &&
        !is_being_typed())
      state.masses[i] = std::clamp(percent / 100, kLeastMass, 1 - kLeastMass);
    begin_row("");
    const auto region = facts.masses->region(state.masses[i]);
    if (region)
      wrapped_text(fmt::format("above {}, volume {}{}", cli::format_value(region->level),
                               cli::format_value(region->volume), cube));
    else
      quiet_text("more than the box holds");
    ImGui::PopID();
  }
}

void draw_levels(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  constexpr std::array<std::string_view, 3> kNames{"50 %", "50, 75, 95 %", "a density"};
  const std::array<std::vector<double>, 3> masses{{{0.5}, kFirstMasses, {}}};
  const bool shown = state.mode == RenderMode::isosurface;
  begin_row(field);
  const auto now = std::ranges::find(masses, state.masses) - masses.begin();
  if (const auto clicked = clicked_name(kNames, shown ? static_cast<std::size_t>(now) : 3)) {
    state.masses = masses[*clicked];
    state.mode = RenderMode::isosurface;
  }
  if (!shown) return;
  state.masses.empty() ? draw_isovalue(state) : draw_masses(state, panel.facts);
}

void draw_flips(const ViewField& field, Panel& panel) {
  begin_row(field);
  const glm::dvec3 unit = panel.facts.frame.unit();
  std::array<bool, 3> flipped{unit.x < 0, unit.y < 0, unit.z < 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name = panel.facts.axes.name(axis);
    if (axis > 0) beside(name.c_str());
    if (ImGui::Checkbox(name.c_str(), &flipped[axis])) panel.state.flipped = flipped;
  }
}

void draw_camera(const ViewField& field, Panel& panel) {
  PanelActions& actions = panel.actions;
  begin_row(field);
  WidgetRow row{"reset", "front", "right", "top"};
  if (row.button("reset", "R")) actions.reset_camera = true;
  if (row.button("front", "1: along +y")) actions.axis_view = AxisView::front;
  if (row.button("right", "3: along -x")) actions.axis_view = AxisView::right;
  if (row.button("top", "7: down")) actions.axis_view = AxisView::top;
}

void draw_picture(const ViewField& field, Panel& panel) {
  begin_row(field);
  WidgetRow row{"as chosen (F12)", "on white"};
  panel.actions.screenshot |= row.button("as chosen (F12)");
  panel.actions.on_white |= row.button("on white");
}

void draw_share(const ViewField& field, Panel& panel) {
  begin_row(field);
  panel.actions.share |= ImGui::Button("copy the address", {-FLT_MIN, 0});
}

/// Draws a menu of what colours or sizes tell: three quantities, and the columns of the files.
void draw_told(const ViewField& field, Panel& panel) {
  const PanelFacts& facts = panel.facts;
  if (facts.is_volume_file || facts.is_stream) return;
  PointLook& look = panel.state.point_look;
  const bool size = field.title() == "size by";
  PointColors& told = size ? look.sizes : look.colors;
  std::string& column = size ? look.size_column : look.column;
  begin_row(field);
  const bool by_column = told == PointColors::column;
  const std::string present = by_column ? column : std::string(word_of(kPointColors, told));
  if (!begin_combo("##told", present.c_str())) return;
  for (const auto& [name, quantity] : kPointColors) {
    if (quantity == PointColors::column) continue;
    if (ImGui::Selectable(name.data(), told == quantity)) {
      told = quantity;
      column.clear();
    }
  }
  ImGui::Separator();
  for (const std::string& name : facts.columns) {
    if (!ImGui::Selectable(name.c_str(), by_column && column == name)) continue;
    told = PointColors::column;
    column = name;
  }
  ImGui::EndCombo();
}

void draw_size(const ViewField& field, Panel& panel) {
  begin_row(field);
  PointLook& look = panel.state.point_look;
  double size = look.size;
  if (log_slider("##size", size, 0.2, 10, "\u00d7 %.3g") && size >= kLeastPointSize &&
      size <= kMostPointSize)
    look.size = size;
}

void draw_condition(const ViewField& field, Panel& panel) {
  draw_field(field, panel.state, panel.actions.complaint);
  if (panel.state.point_look.needs_columns() && panel.facts.shown_points)
    quiet_text(fmt::format("{} of {} samples", cli::format_count(*panel.facts.shown_points),
                           cli::format_count(panel.facts.samples)));
}

/// Draws what is selected, and what to do with it.
void draw_selection(const ViewField& field, Panel& panel) {
  ViewState& state = panel.state;
  const PanelFacts& facts = panel.facts;
  begin_row(field);
  if (facts.selected.empty()) {
    quiet_text("none: Ctrl and a drag in the volume, with Shift for a lasso");
  } else {
    wrapped_text(facts.selected);
    begin_row("");
    WidgetRow row{"estimate on these", "select none"};
    if (row.button("estimate on these", "The density of the selected samples alone"))
      estimate_on_selection(state);
    if (row.button("select none")) state.selection.reset();
  }
  if (state.within.empty()) return;
  begin_row("");
  if (ImGui::Button("all samples again", {-FLT_MIN, 0})) state.within.clear();
  explain("The density of the whole cloud");
}

}  // namespace

std::span<const ControlDrawer> look_drawers() {
  static constexpr ControlDrawer kDrawers[] = {
      {"levels", draw_levels},        {"camera", draw_camera}, {"flip", draw_flips},
      {"save picture", draw_picture}, {"share", draw_share},   {"point colour", draw_told},
      {"point size", draw_size},      {"size by", draw_told},  {"only where", draw_condition},
      {"selected", draw_selection}};
  return kDrawers;
}

}  // namespace skde::view::ui
