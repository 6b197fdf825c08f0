#include "viewer/window/headless_run.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "cli/cancellation.hpp"
#include "cli/exit_code.hpp"
#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/text/json_object.hpp"
#include "pictures/picture.hpp"
#include "pictures/png_file.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/files/export_files.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/score_plot.hpp"
#include "viewer/window/clipboard.hpp"
#include "viewer/window/film_writer.hpp"
#include "viewer/window/window.hpp"

namespace skde::view {
namespace {

/// The values that a film runs through.
struct FilmPath {
  FilmKind kind;
  int frames;
  double first = 0, last = 0;

  /// Returns whether each picture needs a density of its own.
  bool estimates() const { return kind == FilmKind::time || kind == FilmKind::h; }

  /// Sets what changes to its value in picture k.
  void apply(ViewState& state, int k) const {
    const double share = frames > 1 ? static_cast<double>(k) / (frames - 1) : 0;
    if (kind == FilmKind::method) return;  // which goes on by steps
    if (kind == FilmKind::turn)
      state.camera.azimuth = first + 360.0 * k / frames;
    else if (kind == FilmKind::h)
      state.density.bandwidth.bandwidth = first * std::pow(last / first, share);
    else
      state.time.at = std::lerp(first, last, share);
  }
};

FilmPath film_path(const ViewSession& session, const ViewOptions& options) {
  FilmPath path{options.film.kind, options.film.frames};
  if (path.kind == FilmKind::method) return path;
  if (path.kind == FilmKind::turn) {
    path.first = session.state.camera.azimuth;
  } else if (path.kind == FilmKind::h) {
    const double h = session.scene.density().metadata.h;
    if (!(h > 0))
      throw Error(ErrorKind::usage, "a film over h needs a bandwidth of one h or a rule",
                  {"film", {}});
    path.first = h / 4;
    path.last = 2 * h;
  } else {
    const TimeRange& range = *session.scene.time;
    path.first = range.least;
    path.last = std::max(range.least, range.most - (range.to - range.from));
  }
  if (options.film.range) {
    path.first = (*options.film.range)[0];
    path.last = (*options.film.range)[1];
  }
  return path;
}

void go_to(ViewSession& session, const FilmPath& path, int k) {
  if (cli::cancel_requested()) throw Error(ErrorKind::cancelled, "cancelled");
  path.apply(session.state, k);
  if (!path.estimates()) return;
  session.wait(cli::cancel_requested);
  session.wait_for_questions(cli::cancel_requested);
}

/// Ends the axis of colours at the highest peak of all pictures.
void fit_axis_to_all(ViewSession& session, const FilmPath& path) {
  double highest = 0;
  for (int k = 0; k < path.frames; ++k) {
    go_to(session, path, k);
    highest = std::max(highest, session.scene.view.volume.peak());
  }
  session.state.axis_follows_density = false;
  session.state.transfer.axis = axis_up_to(highest, session.state.transfer.axis.logarithmic);
  session.scene.fit_opacities(session.state);
}

/// Writes the film of the options: a turn of the camera, a window that moves through time, a range
/// of h, or the steps of the method. The box and the axis of colours are the same in all pictures.
/// Throws what the densities throw, Error(output) if a file cannot be written, and
/// Error(cancelled).
void write_film(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  const FilmPath path = film_path(session, options);
  const glm::ivec2 size{options.size[0], options.size[1]};
  if (path.kind == FilmKind::method)
    session.state.slice = std::max<std::int64_t>(session.state.slice,
                                                 session.scene.reached_slices(session.state).begin);
  if (path.estimates()) session.hold_frame(true);
  if (path.estimates() && session.state.axis_follows_density) fit_axis_to_all(session, path);
  FilmWriter film(options.film.name, options.film.rate);
  for (int k = 0; k < path.frames; ++k) {
    go_to(session, path, k);
    if (path.kind == FilmKind::h)
      frame.set_caption(fmt::format("h = {:.4g}", session.scene.density().metadata.h));
    film.add(frame.draw_picture(session, size, options.panels));
    if (path.kind == FilmKind::method) step_method(session.state, session.scene);
  }
  if (const std::string advice = film.finish(); !advice.empty())
    fmt::print(stderr, "skde-view: note: {}\n", advice);
}

/// The difference of two pictures in the red, green and blue channels (0..255).
struct PictureDifference {
  double mean = 0;     ///< over all pixels and channels
  int largest = 0;     ///< over all pixels and channels
  double changed = 0;  ///< share of pixels in which a channel differs by more than 16
};

constexpr int kVisible = 16;  // of 255: difference of a channel that counts as changed

/// Compares two pictures. Throws Error(input) if they differ in size.
PictureDifference compare_pictures(const Picture& a, const Picture& b) {
  if (a.width != b.width || a.height != b.height)
    throw Error(ErrorKind::input,
                fmt::format("a picture of {}x{} cannot be compared with one of {}x{}; use --size",
                            a.width, a.height, b.width, b.height));
  PictureDifference difference;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    int worst = 0;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const int off = std::abs(int{a.pixels[i][channel]} - int{b.pixels[i][channel]});
      difference.mean += off;
      worst = std::max(worst, off);
    }
    difference.largest = std::max(difference.largest, worst);
    if (worst > kVisible) ++changed;
  }
  const auto pixels = static_cast<double>(std::max<std::size_t>(a.pixels.size(), 1));
  difference.mean /= 3 * pixels;
  difference.changed = static_cast<double>(changed) / pixels;
  return difference;
}

/// Throws Error(output) that states the difference if its mean is above `threshold`, or what
/// read_png throws if `reference` cannot be read.
void require_alike(const Picture& picture, const std::string& reference, double threshold) {
  const PictureDifference difference = compare_pictures(picture, read_png(reference));
  if (difference.mean <= threshold) return;
  throw Error(ErrorKind::output,
              fmt::format("{}: the picture differs by {:.3g} of 255 on average (allowed: "
                          "{:.3g}), at most by {}, visibly in {:.2g} % of the pixels",
                          reference, difference.mean, threshold, difference.largest,
                          100 * difference.changed));
}

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
  const auto member =
      session.scene.view.ellipsoids.pick(frame.volume(session), {x, y}, session.state.clip);
  if (!member)
    throw Error(ErrorKind::usage,
                fmt::format("--pick {:g},{:g}: no ellipsoid is there; name another pixel", x, y));
  session.state.member = static_cast<std::int64_t>(*member);
  for (const ReadoutLine& line : member_readout(session.scene.view.ellipsoids.members(), *member))
    fmt::print("{}: {}\n", line.label, line.value);
}

/// Pins the place at a pixel of the first frame, and prints what is known of it.
void probe(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  prepare_panels(frame, session, options);
  draw(frame, session, options);
  const auto [x, y] = *options.probe;
  const auto place =
      place_at(session.scene, session.state, frame.parts(session), {x, y}, frame.scale());
  if (!place)
    throw Error(ErrorKind::usage,
                fmt::format("--probe {:g},{:g}: no density is there; name another pixel", x, y));
  session.state.pins.push_back(*place);
  for (const ReadoutLine& line :
       probe_lines(read_place(session.scene, *place), probe_texts(session.scene, session.state)))
    fmt::print("{}: {}\n", line.label, line.value);
}

/// Prints density and volume of each nested surface of a density, A or B if there are two.
void tell_surfaces(const ViewSession& session, const MassProfile& masses, const char* whose) {
  const std::string units = session.scene.axis_texts(session.state).units;
  const std::string cube = units.empty() ? "" : " " + units + "\u00b3";
  for (const double mass : session.state.masses) {
    const auto region = masses.region(mass);
    if (region)
      fmt::print("{}mass {:g}: density {:.6g}, volume {:.6g}{}\n", whose, mass, region->level,
                 region->volume, cube);
    else
      fmt::print("{}mass {:g}: the box holds {:.6g}\n", whose, mass, masses.in_box());
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
  const ScoreFacts score = session.questions.score();
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
  session.state.selection = outlined(frame.volume(session), corners);
  const SelectionFacts facts =
      session.scene.view.points.selected(*session.state.selection, session.state.clip);
  fmt::print("selected: {} of {} samples, {:.6g} of the mass\n", facts.samples,
             session.scene.cloud()->points.size(), facts.share);
  if (!options.select_only) return;
  estimate_on_selection(session.state);
  session.wait(cli::cancel_requested);
  session.wait_for_questions(cli::cancel_requested);
}

/// Prints the cell where the slices meet, and its density.
void tell_sections(ViewSession& session) {
  const SectionReading reading = read_sections(session.scene, session.state);
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
  if (options.share)
    fmt::print("{}\n", page_address(session.scene, session.state, frame.parts(session).volume,
                                    frame.scale()));
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
  for (const std::string& warning : picture_warnings(session))
    fmt::print(stderr, "skde-view: warning: {}\n", warning);
  tell_score(session);
  tell_comparison(session);
  frame.layout().opened = options.panels;  // even where they lie over the views
  if (!options.select.empty()) select(frame, session, options);
  if (options.pick) pick(frame, session, options);
  if (options.probe) probe(frame, session, options);
  if (session.state.mode == RenderMode::isosurface && options.benchmark_frames == 0) {
    const bool two = session.scene.compared.view() != nullptr && !session.scene.compared.axis();
    tell_surfaces(session, *session.scene.view.volume.masses(), two ? "A: " : "");
    if (two) tell_surfaces(session, *session.scene.compared.view()->volume.masses(), "B: ");
  }
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
