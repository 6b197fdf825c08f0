#include "viewer/window/headless_run.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/cancellation.hpp"
#include "cli/exit_code.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/read/cloud.hpp"
#include "io/json_object.hpp"
#include "pictures/png_file.hpp"
#include "viewer/gl/debug_output.hpp"
#include "viewer/mixture/member_readout.hpp"
#include "viewer/scene/drawn_picture.hpp"
#include "viewer/scene/picture_comparison.hpp"
#include "viewer/scene/view_frame.hpp"
#include "viewer/ui/score_plot.hpp"
#include "viewer/window/clipboard.hpp"
#include "viewer/window/document_writer.hpp"
#include "viewer/window/film.hpp"
#include "viewer/window/frame_benchmark.hpp"
#include "viewer/window/headless_context.hpp"

namespace skde::view {
namespace {

void draw(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  frame.draw(session, {options.size[0], options.size[1]}, nullptr, options.panels);
}

/// Draws a first frame: panels determine their sizes in it, and can then show its time.
void prepare_panels(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  if (!options.panels) return;
  draw(frame, session, options);
  glFinish();
}

/// Chooses the ellipsoid at a pixel of the first frame, and prints its numbers.
void pick(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  prepare_panels(frame, session, options);
  draw(frame, session, options);
  const auto [x, y] = *options.pick;
  const auto member = frame.member_at(session, {x, y});
  if (!member)
    throw Error(ErrorKind::usage,
                fmt::format("--pick {:g},{:g}: no ellipsoid is there; name another pixel", x, y));
  session.state.member = static_cast<std::int64_t>(*member);
  for (const ReadoutLine& line : member_readout(session.scene.members(), *member))
    fmt::print("{}: {}\n", line.label, line.value);
}

/// Pins the place at a pixel of the first frame, and prints what is known of it.
void probe(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  prepare_panels(frame, session, options);
  draw(frame, session, options);
  const auto [x, y] = *options.probe;
  const auto place = frame.place_at(session, {x, y});
  if (!place)
    throw Error(ErrorKind::usage,
                fmt::format("--probe {:g},{:g}: no density is there; name another pixel", x, y));
  session.state.pins.push_back(*place);
  for (const ReadoutLine& line :
       probe_lines(session.scene.read(*place), session.scene.probe_texts(session.state)))
    fmt::print("{}: {}\n", line.label, line.value);
}

/// Prints density and volume of each nested surface.
void tell_surfaces(const ViewSession& session) {
  const std::string units = session.scene.axis_texts(session.state).units;
  const std::string cube = units.empty() ? "" : " " + units + "\u00b3";
  for (const double mass : session.state.masses) {
    const auto region = session.scene.masses_by_density()->region(mass);
    if (region)
      fmt::print("mass {:g}: density {:.6g}, volume {:.6g}{}\n", mass, region->level,
                 region->volume, cube);
    else
      fmt::print("mass {:g}: the box holds {:.6g}\n", mass,
                 session.scene.masses_by_density()->in_box());
  }
}

/// Prints the figures of a comparison.
void tell_comparison(const ViewSession& session) {
  const CompareFacts facts = session.comparison();
  if (facts.lines.empty() && facts.notes.empty()) return;
  fmt::print("A: {}\nB: {}\n", facts.a, facts.b);
  for (const ReadoutLine& line : facts.lines) fmt::print("{}: {}\n", line.label, line.value);
  for (const std::string& note : facts.notes) fmt::print(stderr, "skde-view: note: {}\n", note);
}

/// Prints what the curve of scores finds.
void tell_score(const ViewSession& session) {
  const ScoreFacts score = session.score();
  if (!score.curve) return;
  fmt::print("{}\n", ui::score_text(*score.curve, session.state.score));
  for (const Warning& warning : score.curve->warnings) cli::print_warning("skde-view", warning);
}

/// Selects the samples within an outline of the first frame, prints how many they are, and computes
/// their density if only that is wanted.
void select(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  prepare_panels(frame, session, options);
  draw(frame, session, options);
  std::vector<glm::dvec2> corners;
  for (const auto& [x, y] : options.select) corners.emplace_back(x, y);
  session.state.selection = frame.outlined(session, corners);
  const SelectionFacts facts = session.scene.selection_facts(session.state);
  fmt::print("selected: {} of {} samples, {:.6g} of the mass\n", facts.samples,
             session.scene.cloud()->points.size(), facts.share);
  if (!options.select_only) return;
  estimate_on_selection(session.state);
  session.wait(cli::cancel_requested);
  session.wait_for_questions(cli::cancel_requested);
}

/// Prints the cell where the slices meet, and its density.
void tell_sections(ViewSession& session) {
  const SectionReading reading = session.scene.read_sections(session.state);
  const auto& [i, j, k] = reading.cell;
  fmt::print("slices: {:.9g},{:.9g},{:.9g} in cell {},{},{}, density {:.9g}\n", reading.at.x,
             reading.at.y, reading.at.z, i, j, k, reading.density);
}

void write_screenshot(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  prepare_panels(frame, session, options);
  const glm::ivec2 size(options.size[0], options.size[1]);
  if (is_document_name(options.screenshot)) {
    write_document(frame, session, size, options.screenshot);
  } else {
    const Picture picture = frame.draw_picture(session, size, options.panels);
    write_png(picture, options.screenshot);
    if (!options.reference.empty()) require_alike(picture, options.reference, options.threshold);
  }
  if (!options.copy) return;
  ClipboardCopy copy;
  copy.start(options.screenshot);
  fmt::print("{}\n", copy.wait());
}

}  // namespace

void run_headless(const ViewOptions& options) {
  const HeadlessContext context(options.debug_gl);
  const gl::DebugOutput debug;
  ViewSession session(options);
  session.wait(cli::cancel_requested);
  for (const Warning& warning : session.scene.density().facts().warnings)
    cli::print_warning("skde-view", warning);
  ViewFrame frame(nullptr, options.scale > 0 ? static_cast<float>(options.scale) : 1);
  session.wait_for_questions(cli::cancel_requested);
  tell_score(session);
  tell_comparison(session);
  frame.layout().opened = options.panels;  // even where they lie over the views
  if (!options.select.empty()) select(frame, session, options);
  if (options.pick) pick(frame, session, options);
  if (options.probe) probe(frame, session, options);
  if (session.state.mode == RenderMode::isosurface && options.benchmark_frames == 0)
    tell_surfaces(session);
  if (options.tell_sections && options.benchmark_frames == 0) tell_sections(session);
  if (options.benchmark_frames > 0)
    fmt::print("{}", io::json_text(measure_frames(frame, session, options)));
  if (!options.screenshot.empty()) write_screenshot(frame, session, options);
  if (options.film.frames > 0) {
    prepare_panels(frame, session, options);
    write_film(frame, session, options);
  }
  for (const std::string& error : debug.errors()) fmt::print(stderr, "skde-view: {}\n", error);
}

}  // namespace skde::view
