#include "viewer/window/view_frame.hpp"

#include <fmt/core.h>
#include <imgui.h>
#include <algorithm>
#include <cmath>

#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "viewer/ui/method_document.hpp"
#include "viewer/ui/overlays/view_overlays.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/ui/theme_drawing.hpp"
#include "viewer/window/headless_context.hpp"

namespace skde::view {
namespace {

constexpr float kFadeSeconds = 0.3F;   // duration of the full slices' fade, in a window
constexpr float kLongestStep = 0.05F;  // the previous frame may have been long ago

gl::Framebuffer& sized(std::optional<gl::Framebuffer>& picture, glm::ivec2 size) {
  if (!picture || picture->size() != size) picture.emplace(size);
  return *picture;
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

}  // namespace skde::view
