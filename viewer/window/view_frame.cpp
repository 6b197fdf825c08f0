#include "viewer/window/view_frame.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "viewer/ui/method_document.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/score_plot.hpp"
#include "viewer/ui/theme_drawing.hpp"
#include "viewer/window/window.hpp"

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

ViewFrame::ViewFrame(Window* window, float scale)
    : windowed_(window != nullptr), layer_(window, scale) {
  texts_.scale = scale;
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
  const glm::vec3 ground = ground_.value_or(texts_.inks.ground);
  const Drawn wanted{session.state,
                     session.scene.full_share,
                     session.scene.compared.version(),
                     moving,
                     region.size,
                     region.corner,
                     ground,
                     record_ != nullptr};
  if (drawn_ == wanted && views_ && views_->size() == picture_->size()) return false;
  session.scene.draw(sized(views_, picture_->size()), region, session.state,
                     {moving, texts_.scale, ground, texts_.inks, record_ != nullptr});
  drawn_ = wanted;
  return true;
}

ui::PanelFacts ViewFrame::facts(ViewSession& session) const {
  ui::PanelFacts facts = facts_of(session, renderer_name());
  facts.frame_seconds = timer_.seconds();
  if (facts.frame_seconds > 0)
    facts.statistics.push_back(
        {"frame", fmt::format("{}, {:.3g} a second", cli::format_duration(facts.frame_seconds),
                              1 / facts.frame_seconds)});
  if (layout_.tabs.chosen == Tab::questions && session.scene.has_density())
    facts.peak_place = session.scene.view.volume.peak_place();
  return facts;
}

Picture ViewFrame::draw_picture(ViewSession& session, glm::ivec2 size, bool panels) {
  const auto drawn = [&] {
    draw(session, size, nullptr, panels);
    return gl::read_picture(picture());
  };
  if (session.state.appearance.ground != Ground::transparent) return drawn();
  ground_ = glm::vec3(0);
  const Picture on_black = drawn();
  ground_ = glm::vec3(1);
  const Picture on_white = drawn();
  ground_.reset();
  return gl::without_ground(on_black, on_white);
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
  const PixelRegion volume = parts(session).volume;
  const std::vector<PixelLine>& lines = session.scene.seen().drawn.lines;
  const bool triad =
      session.state.appearance.triad && has_room_for_triad(volume.size, texts_.scale);
  const std::size_t end = lines.size() - std::min<std::size_t>(lines.size(), triad ? 3 : 0);
  const glm::vec4 ink = 255.0F * texts_.inks.line;
  const Color color{static_cast<std::uint8_t>(ink.r), static_cast<std::uint8_t>(ink.g),
                    static_cast<std::uint8_t>(ink.b)};
  for (std::size_t i = std::min(end, session.scene.seen().drawn.rear); i < end; ++i) {
    const glm::dvec2 from = lines[i][0] + glm::dvec2(volume.corner);
    const glm::dvec2 to = lines[i][1] + glm::dvec2(volume.corner);
    document.lines.push_back({{from.x, from.y}, {to.x, to.y}, 1.2 * texts_.scale, color});
  }
  return document;
}

ui::PanelActions ViewFrame::draw(ViewSession& session, glm::ivec2 size, ViewControls* controls,
                                 bool panels) {
  ui::PanelActions actions;
  if (record_ != nullptr) record_->texts.clear();
  texts_.listens = controls != nullptr;
  timer_.begin();
  sized(picture_, size);
  const Appearance& seen = session.state.appearance;
  const Theme theme = controls != nullptr ? seen.theme : picture_theme(seen);
  texts_.inks = theme == Theme::light ? kLightInks : kDarkInks;
  layer_.set_theme(theme);
  layer_.begin(size, controls != nullptr);
  layout_.views = {{0, 0}, size};
  texts_.panels = panels && ui::is_side_window_shown(session.state.division, layout_);
  const ui::PanelFacts told = facts(session);
  if (panels) actions = ui::draw_panels(session.state, told, layout_);
  if (controls != nullptr) session.hold_frame(actions.holds_frame);
  const ui::WarningStrip warnings = ui::warning_strip(told.warnings, layout_.views, texts_.scale);
  ui::draw_warnings(warnings, layout_.views, texts_.scale);
  const PixelRegion region = region_ = draw_title(seen.title, warnings.views, texts_.scale);
  if (controls != nullptr)
    controls->apply(session.state, session.scene, region, texts_.scale, actions);
  if (controls != nullptr) ui::draw_outline(controls->outline(), texts_.scale);
  ease_full_slices(session);
  const bool anew = draw_views(session, region, controls != nullptr && controls->moving());
  glFlush();  // the card draws while the texts are placed
  draw_texts(session, told, region, texts_);
  if (session.scene.has_density())  // over the views, which stay where they are
    ui::draw_warnings(ui::warning_strip(picture_warnings(session), region, texts_.scale), region,
                      texts_.scale);
  copies_.copy(views_->color(), picture_->color(), {0, 0}, views_->size());
  picture_->bind();
  layer_.end();
  if (anew) timer_.end();  // frames that draw only panels are not timed
  return actions;
}

namespace {

void write_method(const ViewFrame& frame, const ViewSession& session, glm::ivec2 size,
                  const std::string& path) {
  MethodLook look = method_look(session.scene, session.state);
  look.light = true;
  look.colors = on_ground(look.colors, look.light);
  const SampleSlices* const slices = session.scene.method.slices();
  if (slices == nullptr)
    throw Error(ErrorKind::input, "there is no sample whose method could be drawn",
                {{}, "open a file of samples"});
  const MethodPicture picture = method_picture(*slices, {{0, 0}, size}, look, frame.scale());
  ui::write_method_document(path, picture, size, look, frame.scale());
}

}  // namespace

void write_document(ViewFrame& frame, ViewSession& session, glm::ivec2 size,
                    const std::string& path) {
  if (session.state.layout == ViewLayout::method) {
    frame.draw(session, size, nullptr, false);
    return write_method(frame, session, size, path);
  }
  const LayeredDocument document = frame.draw_document(session, size);
  io::OutputFile file(path);
  file.write(encode_document(document, path.ends_with(".pdf")));
  file.commit();
}

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
