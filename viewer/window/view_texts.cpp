#include "viewer/window/view_texts.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "viewer/session/view_session.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/score_plot.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view {
namespace {

/// Draws the line between the views, which the mouse can move.
void draw_border(const ViewParts& parts, float scale) {
  const PixelRegion line = parts.border(scale);
  if (line.size.x == 0) return;
  glm::vec2 lower(line.corner), upper(line.corner + line.size);
  const float middle = 0.5F * (lower[parts.split] + upper[parts.split]);
  lower[parts.split] = std::round(middle - 0.5F * scale);
  upper[parts.split] = lower[parts.split] + std::max(1.0F, std::round(scale));
  ImGui::GetBackgroundDrawList()->AddRectFilled({lower.x, lower.y}, {upper.x, upper.y},
                                                ImGui::GetColorU32(ImGuiCol_Border));
}

void draw_bars(const ViewSession& session, const ui::Quantity& values, const PixelRegion& region,
               float scale) {
  const ViewState& state = session.state;
  const VolumeView& view = session.scene.view;
  const EllipsoidsShown ellipsoids = view.ellipsoids.shown_as(state.ellipsoids);
  const bool has_density = session.scene.has_density();
  const bool with_points = session.scene.draws_points(state);
  PixelRegion upper = region;
  if (const auto sizes =
          view.points.size_axis(state.point_look, has_density ? &state.transfer.axis : nullptr);
      with_points && sizes)
    upper = ui::draw_size_legend(sizes->axis, sizes->name, region, scale);
  // The masses of ellipsoids have the room of the samples' bar if both are shown.
  std::optional<NamedAxis> points;
  std::span<const PointCategory> categories;
  if (with_points && ellipsoids == EllipsoidsShown::off) {
    points = view.points.axis(state.point_look);
    categories = view.points.categories(state.point_look);
  }
  PixelRegion lower = upper;
  if (ellipsoids == EllipsoidsShown::under || points || !categories.empty()) {
    upper.size.y /= 2;
    lower.corner.y += upper.size.y;
    lower.size.y -= upper.size.y;
  }
  if (const auto axis = session.scene.compared.axis()) {
    const bool ratio = state.compare.as == CompareAs::ratio;
    ui::draw_named_bar(
        *axis, diverging_colors(state),
        ratio ? ui::Quantity{"ln(A / B)", ""} : ui::Quantity{"A \u2212 B", values.unit}, region,
        scale);
    return;
  }
  if (has_density && ellipsoids != EllipsoidsShown::alone) {
    const VolumeView* const beside = session.scene.compared.view();
    ui::draw_scalar_bar(
        state, values, named_regions(state, view.volume),
        beside != nullptr ? named_regions(state, beside->volume) : std::vector<MassRegion>(), upper,
        scale);
  }
  const ColorMap map = mass_colors(state.transfer.colors);
  if (ellipsoids != EllipsoidsShown::off)
    ui::draw_named_bar(view.ellipsoids.masses(), map, {"mass", ""}, lower, scale);
  if (points) ui::draw_named_bar(points->axis, map, {points->name, ""}, lower, scale);
  if (!categories.empty())
    ui::draw_category_legend(categories, state.point_look.column, lower, scale);
}

/// Draws the texts of a comparison: what A and B are, and the ticks of B.
/// Returns how many lines of text stand above the views.
int draw_comparison(const ViewSession& session, const CompareFacts& facts, const ViewParts& parts,
                    float scale) {
  if (session.state.compare.with.empty() || !session.scene.has_density()) return 0;
  const VolumeView* const compared = session.scene.compared.view();
  if (compared != nullptr && parts.compared.size.x > 0)
    ui::draw_labels(compared->drawn.labels, compared->drawn.lines, parts.compared, scale);
  return ui::draw_comparison_captions(facts, session.state.compare.as, parts.volume, parts.compared,
                                      scale);
}

/// Draws the pins, and what the probe reads under the mouse.
void draw_readings(ViewSession& session, const ViewParts& parts, const PixelRegion& region,
                   const TextSettings& settings) {
  const float scale = settings.scale;
  const ScenePart part = session.scene.view.part(session.state.camera, parts.volume, scale);
  ui::draw_pins(pin_pixels(session.state, part), parts.volume, scale);
  if (session.state.selection)
    ui::draw_outline(selection_pixels(*session.state.selection, part), scale);
  const glm::dvec2 mouse{ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
  if (!settings.listens || !session.state.show_probe || ImGui::GetIO().WantCaptureMouse) return;
  const auto place = place_at(session.scene, session.state, parts, mouse, scale);
  if (place)
    ui::draw_probe(read_place(session.scene, *place), probe_texts(session.scene, session.state),
                   mouse, region, scale);
}

/// Says, before the first density, what is missing where.
void draw_outlook(const ViewSession& session, const ViewParts& parts, const PixelRegion& region,
                  const TextSettings& settings) {
  const auto tell = [&](const PixelRegion& part, double height, std::string text) {
    SceneLabel label{glm::dvec2(part.size) * glm::dvec2(0.5, height), std::move(text),
                     settings.inks.line};
    label.certain = true;
    if (part.size.x > 0) ui::draw_labels({&label, 1}, {}, part, settings.scale);
  };
  constexpr double kMiddle = 0.5, kAboveBox = 0.08;
  const std::vector<std::string>& paths = session.state.cloud.paths;
  const bool busy = session.requests.status().busy;
  if (session.scene.grid() != nullptr) {
    if (!busy) tell(parts.volume, kAboveBox, "No density yet: change a parameter, or F5");
    tell(parts.method, kMiddle, "no density yet");
    for (const PixelRegion& section : parts.sections) tell(section, kMiddle, "no density yet");
  } else if (paths.empty()) {
    tell(region, kMiddle, "Ctrl+O opens a point cloud or a volume, or drop it here");
  } else if (busy) {
    const std::string name = std::filesystem::path(paths.front()).filename().string();
    tell(region, kMiddle, "Reading " + (name == "-" ? "standard input" : name));
  } else {
    tell(region, kMiddle, "No density yet: correct the parameter that the error names");
  }
}

}  // namespace

PixelRegion draw_title(const std::string& title, PixelRegion region, float scale) {
  constexpr float kTitleSize = 1.3F, kAround = 0.5F;  // in letter heights
  const float size = kTitleSize * ImGui::GetFontSize(), around = kAround * ImGui::GetFontSize();
  const int taken = static_cast<int>(std::ceil(size + 2 * around));
  if (title.empty() || region.size.y < 3 * taken) return region;
  const float width = kTitleSize * ImGui::CalcTextSize(title.c_str()).x;
  const auto room = static_cast<float>(region.size.x);
  const float fitted = size * std::min(1.0F, (room - 2 * around) / std::max(width, 1.0F));
  const float left = static_cast<float>(region.corner.x) + 0.5F * (room - width * fitted / size);
  ui::draw_sized_text(*ImGui::GetBackgroundDrawList(), title, fitted,
                      {std::round(left), std::round(static_cast<float>(region.corner.y) + around)},
                      ImGui::GetColorU32(ImGuiCol_Text), scale);
  region.corner.y += taken;
  region.size.y -= taken;
  return region;
}

void draw_texts(ViewSession& session, const ui::PanelFacts& facts, const PixelRegion& region,
                const TextSettings& settings) {
  const float scale = settings.scale;
  const ViewParts parts = view_parts(session.state, region, scale);
  draw_border(parts, scale);
  if (parts.volume.size.x > 0 && session.scene.grid() != nullptr) {
    ui::draw_labels(session.scene.seen().drawn.labels, session.scene.seen().drawn.lines,
                    parts.volume, scale);
    draw_readings(session, parts, region, settings);
    const int line = draw_comparison(session, facts.compare, parts, scale);
    if (const auto& time = session.scene.time)
      ui::draw_corner_caption(
          fmt::format("{}: {:.6g} to {:.6g}", session.state.time.column, time->from, time->to),
          line, parts.volume, scale);
    else if (!settings.caption.empty())
      ui::draw_corner_caption(settings.caption, line, parts.volume, scale);
    if (!settings.panels)
      ui::draw_score_overlay(facts.score, session.state.score, facts.h, parts.volume, scale);
    if (parts.bar.size.x > 0 && session.state.appearance.bar)
      draw_bars(session, facts.values, parts.bar, scale);
  }
  if (parts.sections[0].size.x > 0 && session.scene.has_density()) {
    const Grid& grid = session.scene.density().grid();
    for (const auto* const sections : {&parts.sections, &parts.compared_sections})
      if ((*sections)[0].size.x > 0)
        ui::draw_sections(section_maps(*sections, session.scene.view.frame(), scale), grid.bounds(),
                          session.state.sections.place(grid),
                          session.scene.axis_texts(session.state), scale);
  }
  if (parts.method.size.x > 0) ui::draw_labels(session.scene.method.labels(), parts.method, scale);
  if (!session.scene.has_density()) draw_outlook(session, parts, region, settings);
}

}  // namespace skde::view
