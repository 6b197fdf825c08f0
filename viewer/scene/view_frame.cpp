#include "viewer/scene/view_frame.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "viewer/scene/scene_facts.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/ui/score_plot.hpp"
#include "viewer/ui/view_warnings.hpp"
#include "viewer/window/headless_context.hpp"

namespace skde::view {
namespace {

constexpr float kFadeSeconds = 0.3F;   // duration of the full slices' fade, in a window
constexpr float kLongestStep = 0.05F;  // the previous frame may have been long ago

gl::Framebuffer& sized(std::optional<gl::Framebuffer>& picture, glm::ivec2 size) {
  if (!picture || picture->size() != size) picture.emplace(size);
  return *picture;
}

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

}  // namespace

ViewFrame::ViewFrame(Window* window, float scale)
    : scale_(scale),
      windowed_(window != nullptr),
      renderer_(renderer_name()),
      layer_(window, scale) {
  layout_.scale = scale;
}

void ViewFrame::ease_full_slices(ViewSession& session) const {
  const float wanted = session.state.show_full_slices ? 1.0F : 0.0F;
  float& share = session.scene.full_share;
  const float step =
      windowed_ ? std::min(ImGui::GetIO().DeltaTime, kLongestStep) / kFadeSeconds : 1.0F;
  share += std::clamp(wanted - share, -step, step);
}

bool ViewFrame::draw_views(ViewSession& session, const PixelRegion& region, bool moving) {
  const glm::vec3 ground = ground_.value_or(inks().ground);
  const Drawn wanted{session.state,
                     session.scene.full_share,
                     session.scene.compared_version(),
                     moving,
                     region.size,
                     region.corner,
                     ground,
                     record_ != nullptr};
  if (drawn_ == wanted && views_ && views_->size() == picture_->size()) return false;
  session.scene.draw(sized(views_, picture_->size()), region, session.state,
                     {moving, scale_, ground, inks(), record_ != nullptr});
  drawn_ = wanted;
  return true;
}

void ViewFrame::draw_bars(const ViewSession& session, const ui::ValueKind& values,
                          const PixelRegion& region) const {
  const EllipsoidsShown ellipsoids = session.scene.ellipsoids_shown(session.state);
  // The masses of ellipsoids have the room of the samples' bar if both are shown.
  const auto points =
      ellipsoids == EllipsoidsShown::off ? session.scene.point_axis(session.state) : std::nullopt;
  std::span<const PointCategory> categories;
  if (ellipsoids == EllipsoidsShown::off)
    categories = session.scene.point_categories(session.state);
  PixelRegion upper = region;
  if (const auto sizes = session.scene.size_axis(session.state))
    upper = ui::draw_size_legend(sizes->axis, sizes->name, region, scale_);
  PixelRegion lower = upper;
  if (ellipsoids == EllipsoidsShown::under || points || !categories.empty()) {
    upper.size.y /= 2;
    lower.corner.y += upper.size.y;
    lower.size.y -= upper.size.y;
  }
  if (const auto axis = session.scene.compared_axis()) {
    const bool ratio = session.state.compare.as == CompareAs::ratio;
    ui::draw_named_bar(*axis, diverging_colors(session.state), ratio ? "ln(A / B)" : "A \u2212 B",
                       ratio ? "" : ui::value_unit(values), region, scale_);
    return;
  }
  if (session.scene.has_density() && ellipsoids != EllipsoidsShown::alone)
    ui::draw_scalar_bar(session.state, values, session.scene.surfaces(session.state),
                        session.scene.compared_surfaces(session.state), upper, scale_);
  if (ellipsoids != EllipsoidsShown::off)
    ui::draw_named_bar(session.scene.masses(), mass_colors(session.state.transfer.colors), "mass",
                       "", lower, scale_);
  if (points)
    ui::draw_named_bar(points->axis, mass_colors(session.state.transfer.colors), points->name, "",
                       lower, scale_);
  if (!categories.empty())
    ui::draw_category_legend(categories, session.state.point_look.column, lower, scale_);
}

int ViewFrame::draw_comparison(const ViewSession& session, const CompareFacts& facts,
                               const ViewParts& parts) const {
  if (session.state.compare.with.empty() || !session.scene.has_density()) return 0;
  const VolumeView* const compared = session.scene.compared();
  if (compared != nullptr && parts.compared.size.x > 0)
    ui::draw_labels(session.scene.compared_labels(), compared->pixel_lines(), parts.compared,
                    scale_);
  return ui::draw_comparison_captions(facts, session.state.compare.as, parts.volume, parts.compared,
                                      scale_);
}

void ViewFrame::draw_readings(ViewSession& session, const ViewParts& parts) const {
  const PixelRegion& volume = parts.volume;
  ui::draw_pins(session.scene.pin_pixels(session.state, volume, scale_), volume, scale_);
  ui::draw_outline(session.scene.selection_pixels(session.state, volume, scale_), scale_);
  const glm::dvec2 mouse{ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
  if (!listens_ || !session.state.show_probe || ImGui::GetIO().WantCaptureMouse) return;
  const auto place = session.scene.place_at(session.state, parts, mouse, scale_);
  if (place)
    ui::draw_probe(session.scene.read(*place), session.scene.probe_texts(session.state), mouse,
                   region_, scale_);
}

void ViewFrame::draw_texts(ViewSession& session, const ui::PanelFacts& facts,
                           const PixelRegion& region) const {
  const ViewParts parts = view_parts(session.state, region, scale_);
  draw_border(parts, scale_);
  if (parts.volume.size.x > 0 && session.scene.grid() != nullptr) {
    ui::draw_labels(session.scene.volume_labels(), session.scene.volume_lines(), parts.volume,
                    scale_);
    draw_readings(session, parts);
    const int line = draw_comparison(session, facts.compare, parts);
    if (const auto& time = session.scene.time())
      ui::draw_corner_caption(
          fmt::format("{}: {:.6g} to {:.6g}", session.state.time.column, time->from, time->to),
          line, parts.volume, scale_);
    else if (!caption_.empty())
      ui::draw_corner_caption(caption_, line, parts.volume, scale_);
    if (!panels_shown_)
      ui::draw_score_overlay(facts.score, session.state.score, facts.h, parts.volume, scale_);
    if (parts.bar.size.x > 0 && session.state.appearance.bar)
      draw_bars(session, facts.values, parts.bar);
  }
  if (parts.sections[0].size.x > 0 && session.scene.has_density()) {
    const Grid& grid = session.scene.density().grid();
    for (const auto* const sections : {&parts.sections, &parts.compared_sections})
      if ((*sections)[0].size.x > 0)
        ui::draw_sections(session.scene.section_maps(*sections, scale_), grid.bounds(),
                          session.state.sections.place(grid),
                          session.scene.axis_texts(session.state), scale_);
  }
  if (parts.method.size.x > 0) ui::draw_labels(session.scene.method_labels(), parts.method, scale_);
  if (!session.scene.has_density()) draw_outlook(session, parts, region);
}

void ViewFrame::draw_outlook(const ViewSession& session, const ViewParts& parts,
                             const PixelRegion& region) const {
  const auto tell = [&](const PixelRegion& part, double height, std::string text) {
    SceneLabel label{glm::dvec2(part.size) * glm::dvec2(0.5, height), std::move(text), inks().line};
    label.certain = true;
    if (part.size.x > 0) ui::draw_labels({&label, 1}, {}, part, scale_);
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

std::optional<std::size_t> ViewFrame::member_at(const ViewSession& session,
                                                glm::dvec2 pixel) const {
  return session.scene.pick_member(session.state, view_parts(session.state, region_, scale_).volume,
                                   pixel, scale_);
}

OutlinedPlaces ViewFrame::outlined(const ViewSession& session,
                                   std::span<const glm::dvec2> pixels) const {
  return session.scene.outlined(session.state, view_parts(session.state, region_, scale_).volume,
                                pixels, scale_);
}

std::optional<Vec3> ViewFrame::place_at(ViewSession& session, glm::dvec2 pixel) const {
  return session.scene.place_at(session.state, view_parts(session.state, region_, scale_), pixel,
                                scale_);
}

ui::PanelFacts ViewFrame::facts(ViewSession& session) const {
  ui::PanelFacts facts = facts_of(session, renderer_);
  facts.statistics.frame_seconds = timer_.seconds();
  return facts;
}

PixelRegion ViewFrame::draw_title(const ViewState& state, PixelRegion region) const {
  constexpr float kTitleSize = 1.3F, kAround = 0.5F;  // in letter heights
  const std::string& title = state.appearance.title;
  const float size = kTitleSize * ImGui::GetFontSize(), around = kAround * ImGui::GetFontSize();
  const int taken = static_cast<int>(std::ceil(size + 2 * around));
  if (title.empty() || region.size.y < 3 * taken) return region;
  const float width = kTitleSize * ImGui::CalcTextSize(title.c_str()).x;
  const auto room = static_cast<float>(region.size.x);
  const float fitted = size * std::min(1.0F, (room - 2 * around) / std::max(width, 1.0F));
  const float left = static_cast<float>(region.corner.x) + 0.5F * (room - width * fitted / size);
  ui::draw_sized_text(*ImGui::GetBackgroundDrawList(), title, fitted,
                      {std::round(left), std::round(static_cast<float>(region.corner.y) + around)},
                      ImGui::GetColorU32(ImGuiCol_Text), scale_);
  region.corner.y += taken;
  region.size.y -= taken;
  return region;
}

Picture ViewFrame::draw_picture(ViewSession& session, glm::ivec2 size, bool panels) {
  const auto drawn = [&] {
    draw(session, size, nullptr, panels);
    return read_picture(picture());
  };
  if (session.state.appearance.ground != Ground::transparent) return drawn();
  ground_ = glm::vec3(0);
  const Picture on_black = drawn();
  ground_ = glm::vec3(1);
  const Picture on_white = drawn();
  ground_.reset();
  return without_ground(on_black, on_white);
}

LayeredDocument ViewFrame::draw_document(ViewSession& session, glm::ivec2 size) {
  LayeredDocument document;
  {
    ui::TextRecord record;
    record_ = &record;
    document.picture = draw_picture(session, size, false);
    record_ = nullptr;
    document.texts = std::move(record.texts);
  }
  drawn_.reset();
  const PixelRegion volume = view_parts(session.state, region_, scale_).volume;
  const std::vector<PixelLine>& lines = session.scene.volume_lines();
  const bool triad = session.state.appearance.triad && has_room_for_triad(volume.size, scale_);
  const std::size_t end = lines.size() - std::min<std::size_t>(lines.size(), triad ? 3 : 0);
  const glm::vec4 ink = 255.0F * inks().line;
  const Color color{static_cast<std::uint8_t>(ink.r), static_cast<std::uint8_t>(ink.g),
                    static_cast<std::uint8_t>(ink.b)};
  for (std::size_t i = std::min(end, session.scene.rear_lines()); i < end; ++i) {
    const glm::dvec2 from = lines[i][0] + glm::dvec2(volume.corner);
    const glm::dvec2 to = lines[i][1] + glm::dvec2(volume.corner);
    document.lines.push_back({{from.x, from.y}, {to.x, to.y}, 1.2 * scale_, color});
  }
  return document;
}

ViewFrame::Actions ViewFrame::draw(ViewSession& session, glm::ivec2 size, ViewControls* controls,
                                   bool panels) {
  Actions actions;
  if (record_ != nullptr) record_->texts.clear();
  listens_ = controls != nullptr;
  timer_.begin();
  sized(picture_, size);
  const Appearance& seen = session.state.appearance;
  theme_ = controls != nullptr ? seen.theme : picture_theme(seen);
  layer_.set_theme(theme_);
  layer_.begin(size, controls != nullptr);
  layout_.views = {{0, 0}, size};
  panels_shown_ = panels && ui::is_side_window_shown(session.state.division, layout_);
  const ui::PanelFacts told = facts(session);
  if (panels) actions.panels = ui::draw_panels(session.state, told, layout_);
  if (controls != nullptr) session.hold_frame(actions.panels.holds_frame);
  const ui::WarningStrip warnings = ui::warning_strip(told.warnings, layout_.views, scale_);
  ui::draw_warnings(warnings, layout_.views, scale_);
  const PixelRegion region = region_ = draw_title(session.state, warnings.views);
  if (controls != nullptr)
    actions.keys = controls->apply(session.state, session.scene, region, scale_);
  if (controls != nullptr) ui::draw_outline(controls->outline(), scale_);
  ease_full_slices(session);
  const bool anew = draw_views(session, region, controls != nullptr && controls->moving());
  glFlush();  // the card draws while the texts are placed
  draw_texts(session, told, region);
  if (session.scene.has_density())  // over the views, which stay where they are
    ui::draw_warnings(ui::warning_strip(picture_warnings(session), region, scale_), region, scale_);
  copies_.copy(views_->color(), picture_->color(), {0, 0}, views_->size());
  picture_->bind();
  layer_.end();
  if (anew) timer_.end();  // frames that draw only panels are not timed
  return actions;
}

}  // namespace skde::view
