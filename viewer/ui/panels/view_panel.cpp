#include "viewer/ui/panels/side_panels.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/text/number_format.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/surface_lines.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

/// Draws the isovalue as a density, the quantity that users know.
void draw_isovalue(ViewState& state) {
  const ValueAxis& axis = state.transfer.axis;
  begin_row("isovalue", "Density of the surface; Ctrl and a click lets you type a number");
  double value = axis.value_at(state.isovalue);
  const ImGuiSliderFlags scale = axis.logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
  if (ImGui::SliderScalar("##isovalue", ImGuiDataType_Double, &value, &axis.low, &axis.high, "%.4g",
                          scale | ImGuiSliderFlags_NoRoundToFormat) &&
      !is_being_typed())
    state.isovalue = axis.share_of(value);
}

/// Draws the share of the mass of each nested surface, with its density and volume below.
void draw_masses(ViewState& state, const PanelFacts& facts) {
  const std::string cube = facts.values.units.empty() ? "" : " " + facts.values.units + "\u00b3";
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
  begin_row("");
  WidgetRow row{"add", "remove"};
  const bool full = state.masses.size() == kMostSurfaces, last = state.masses.size() == 1;
  ImGui::BeginDisabled(full);
  if (ImGui::Button("add", {row.next(), 0}))
    state.masses.push_back(0.5 * (1 + *std::ranges::max_element(state.masses)));
  ImGui::EndDisabled();
  ImGui::BeginDisabled(last);
  if (ImGui::Button("remove", {row.next(), 0})) state.masses.pop_back();
  ImGui::EndDisabled();
}

void draw_surfaces(ViewState& state, const PanelFacts& facts) {
  constexpr Words<bool, 2> kSurfaces{{{"a density", false}, {"the mass inside", true}}};
  begin_row("surfaces", "One of a density, or nested ones that hold shares of the mass");
  bool by_mass = !state.masses.empty();
  if (choose_by_button(kSurfaces, by_mass))
    state.masses = by_mass ? kFirstMasses : std::vector<double>{};
  if (state.masses.empty())
    draw_isovalue(state);
  else
    draw_masses(state, facts);
}

void draw_overlays(ViewState& state) {
  begin_row("also show");
  ImGui::Checkbox("points", &state.show_points);
  explain("Shows the samples over the volume (P)");
  beside("slices");
  ImGui::Checkbox("slices", &state.show_slices);
  explain("Shows the slices of the chosen sample over the volume (S)");
}

void draw_axes(ViewState& state, const PanelFacts& facts) {
  draw_field("proportions", state);
  begin_row("factors", "How many times longer lengths along x, y and z are drawn");
  std::array<double, 3> factors{state.axis_factors.x, state.axis_factors.y, state.axis_factors.z};
  if (ImGui::InputScalarN("##factors", ImGuiDataType_Double, factors.data(), 3, nullptr, nullptr,
                          "%.4g") &&
      !is_being_typed() && are_factors({factors[0], factors[1], factors[2]}))
    state.axis_factors = {factors[0], factors[1], factors[2]};
  begin_row("flip", "Flips the axis, such as a depth that increases downwards");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name = facts.axes.name(axis);
    if (axis > 0) beside(name.c_str());
    ImGui::Checkbox(name.c_str(), &state.flipped[axis]);
  }
}

/// Draws three numbers in a line.
void draw_angles(Camera& camera) {
  WidgetRow row{"az -100.0\u00b0", "el -10.00\u00b0", "\u00d7 1.000"};
  const auto number = [&](const char* id, const char* what, double& value, float speed,
                          const char* format, const auto& kept) {
    double wanted = value;
    ImGui::SetNextItemWidth(row.next());
    constexpr ImGuiSliderFlags kFlags = ImGuiSliderFlags_NoRoundToFormat;
    const bool changed = ImGui::DragScalar(id, ImGuiDataType_Double, &wanted, speed, nullptr,
                                           nullptr, format, kFlags) &&
                         !is_being_typed() && std::isfinite(wanted);
    explain(fmt::format("{}; drag, or Ctrl-click to type", what));
    if (changed) value = kept(wanted);
  };
  number("##azimuth", "Degrees around the vertical, counter-clockwise from +x as seen from above",
         camera.azimuth, 0.5f, "az %.4g°", [](double v) { return std::remainder(v, 360.0); });
  number("##elevation", "Degrees above the horizon", camera.elevation, 0.5f, "el %.4g°",
         [](double v) { return std::clamp(v, -90.0, 90.0); });
  number("##zoom", "1 fits the sphere around the box into the view", camera.zoom, 0.005f, "× %.4g",
         [](double v) { return std::clamp(v, Camera::kLeastZoom, Camera::kMostZoom); });
}

void draw_camera(ViewState& state, PanelActions& actions) {
  begin_row("camera", "Drag: orbit; middle button or Shift: pan; right button or wheel: zoom");
  WidgetRow row{"reset", "front", "right", "top"};
  const auto button = [&](const char* name, const char* key) {
    const bool clicked = fitted_button(name, row.next());
    explain(key);
    return clicked;
  };
  if (button("reset", "R")) actions.reset_camera = true;
  if (button("front", "1: along +y")) actions.axis_view = AxisView::front;
  if (button("right", "3: along -x")) actions.axis_view = AxisView::right;
  if (button("top", "7: down")) actions.axis_view = AxisView::top;
  draw_field("camera/orthographic", state);
  begin_row("");
  draw_angles(state.camera);
}

}  // namespace

void draw_view_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                     PanelActions& actions) {
  draw_field("layout", state);
  if (draw_field("mode", state)) start_mode(state);
  if (state.mode == RenderMode::composite) draw_field("shading", state);
  if (state.mode == RenderMode::isosurface) draw_surfaces(state, facts);
  draw_field("quality", state);
  draw_overlays(state);
  draw_axes(state, facts);
  draw_camera(state, actions);
  file_rows("view", "Files, density and look as JSON; open it with skde-view --state",
            layout.view_path, actions.save_view, actions.load_view);
}

}  // namespace skde::view::ui
