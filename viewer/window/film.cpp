#include "viewer/window/film.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/cancellation.hpp"
#include "core/report/error.hpp"
#include "viewer/scene/method_steps.hpp"
#include "viewer/window/film_writer.hpp"

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
    const TimeRange& range = *session.scene.time();
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
    highest = std::max(highest, session.scene.peak());
  }
  session.state.axis_follows_density = false;
  session.state.transfer.axis = axis_up_to(highest, session.state.transfer.axis.logarithmic);
  session.scene.fit_opacities(session.state);
}

}  // namespace

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

}  // namespace skde::view
