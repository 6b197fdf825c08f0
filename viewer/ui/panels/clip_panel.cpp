#include <fmt/core.h>
#include <imgui.h>
#include <glm/gtc/constants.hpp>

#include <algorithm>
#include <cmath>

#include "cli/text/number_format.hpp"
#include "viewer/ui/panels/side_panels.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

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

void draw_box(ViewState& state, const PanelFacts& facts, const Box& bounds) {
  begin_row("clip box", "Shows only what lies in a box");
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

void draw_plane(ViewState& state, const PanelFacts& facts, const Box& bounds) {
  const auto faced = [&] {
    return plane_through(bounds.centre(), direction(state.camera.azimuth, state.camera.elevation),
                         facts.frame);
  };
  begin_row("clip plane", "Cuts away what lies before a plane at any angle");
  bool on = state.clip.plane.has_value();
  if (ImGui::Checkbox("cut", &on)) state.clip.plane = on ? std::optional(faced()) : std::nullopt;
  if (!state.clip.plane) return;
  ClipPlane& plane = *state.clip.plane;
  begin_row("");
  WidgetRow row{"face me", "other side"};
  if (fitted_button("face me", row.next())) plane = faced();
  explain("Through the middle, and facing the camera");
  if (fitted_button("other side", row.next())) plane = {-1.0 * plane.normal, -plane.offset};
  draw_normal(plane, facts.frame);
  draw_distance(plane, facts.frame);
}

}  // namespace

void draw_clip_panel(ViewState& state, const PanelFacts& facts) {
  if (!facts.grid) return quiet_text("no density yet");
  const Box bounds = facts.grid->bounds();
  draw_box(state, facts, bounds);
  draw_plane(state, facts, bounds);
}

void draw_section_panel(ViewState& state, const PanelFacts& facts, PanelActions& actions) {
  if (!facts.grid) return;
  Sections& sections = state.sections;
  draw_field("sections/shown", state);
  begin_row("");
  ImGui::BeginDisabled(!facts.file_facts.has_density);
  actions.slices_at_peak = ImGui::Button("through the peak", {-1, 0});
  ImGui::EndDisabled();
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
  draw_field("sections/smooth", state);
  if (state.layout != ViewLayout::slices) return;
  begin_row("samples", "Those this near to a slice are drawn over it: a share of the box's edge");
  double percent = 100 * sections.near;
  if (slider("##near", percent, 0, 20, "within %.3g %%") && percent >= 0 && percent <= 100)
    sections.near = percent / 100;
}

}  // namespace skde::view::ui
