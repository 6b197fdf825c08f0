#include "viewer/session/view_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/options/density_options.hpp"
#include "estimate/read/cloud.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/volumes/volume_formats.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/session/view_fields.hpp"

namespace skde::view {
namespace {

/// Copies the part of a state that determines its density, and what belongs to it.
void take_density(const ViewState& from, ViewState& state) {
  const bool other_files = state.cloud.paths != from.cloud.paths;
  take_request(from, state);
  if (!other_files) return;
  state.layout = from.layout;
  take_places(from, state);
}

/// Parameters that the dialog of columns sets.
constexpr std::array<std::string_view, 3> kColumnParameters{"columns", "weights", "widths"};

/// Returns the failure to show a state, with what mends it. A stream cannot be read with other
/// columns.
ViewFailure failure_of(const Error& error, const ViewState& state, bool is_stream) {
  ViewFailure failure{.text = text_with_controls(error),
                      .remedies = remedies(error.advice(), state),
                      .columns = {},
                      .asked = state};
  const bool of_columns = std::ranges::count(kColumnParameters, error.parameter()) > 0;
  const bool of_reading = error.kind() == ErrorKind::usage || error.kind() == ErrorKind::input;
  if (of_columns && of_reading && !is_stream)
    failure.columns = column_choice(state.cloud.paths, state.cloud.columns, state.cloud.open);
  if (failure.columns) failure.columns->why = error.problem();
  return failure;
}

}  // namespace

ViewSession::ViewSession(const ViewOptions& options, std::function<void()> wake)
    : state(options.state),
      scene(options.state.density.options.device, options.interop),
      fit(wake),
      questions(wake),
      requests(options.window, std::move(wake)),
      given_{options.sample_given, options.slice_given, options.at_peak,
             options.camera_given ? std::nullopt : std::optional(options.state.camera)} {}

void ViewSession::open_files(std::vector<std::string> paths) {
  if (paths.empty()) return;  // something other than files was dropped
  if (shown_ && !before_.files) before_.files = kept_state();
  forget_cloud(state);
  state.cloud.paths = std::move(paths);
  cli::assume_widths({}, state.cloud, state.density);
  if (state.cloud.columns.shaped()) {
    state.density.adaptive.reset();
    state.density.sharpen = false;
  }
  if (!io::first_volume(state.cloud.paths, state.cloud.open).empty()) show_volume(state);
}

void ViewSession::open_view(ViewState view) {
  if (view.cloud.paths.empty()) view.cloud = state.cloud;
  if (shown_ && !same_density(*shown_, view)) before_.view = kept_state();
  state = std::move(view);
}

void ViewSession::hold_frame(bool holds) {
  if (holds == held_.on) return;
  held_.on = holds;
  held_.grid.reset();
  const GridSpec& grid = state.density.grid;
  if (holds && scene.has_density() && !follows_stream() && !state.density.like && !grid.bounds)
    held_.grid = scene.density().grid();
  if (holds) return;
  if (state.axis_follows_density) scene.fit_axis(state);
  scene.fit_opacities(state);
}

Asked ViewSession::asked() {
  return {state,         scene, shown_ ? &*shown_ : nullptr, pictured(), held_.grid.has_value(),
          requests.box()};
}

CompareFacts ViewSession::comparison() const {
  CompareFacts facts = questions.comparison();
  if (!scene.has_density() && facts.problem.empty()) facts.problem = "no density yet";
  return facts;
}

void ViewSession::wait_for_questions(const std::function<bool()>& cancelled) {
  questions.wait(asked(), cancelled);
  if (questions.box_of_b() != requests.box()) return wait(cancelled), wait_for_questions(cancelled);
  questions.update(asked());
  questions.wait_for_points_of_b(cancelled);
  questions.update(asked());
}

void ViewSession::update_request() {
  if (planned_ && planned_->cloud != state.cloud) {
    planned_.reset();
    scene.forget_planned(state);
  }
  questions.update(asked());
  if (state.cloud.paths.empty() || !requests.is_new(state, held_.grid, questions.box_of_b()))
    return;
  requests.note({{state, held_.grid, questions.box_of_b()}});
  if (requests.wants_input_again(state, shown_))
    return fail({ErrorKind::usage,
                 "standard input has been read to its end and cannot be read again",
                 {{}, "save it to a file, and open the file"}},
                true);
  requests.request(!scene.has_density());
}

void ViewSession::restore() {
  if (shown_) {
    state = before_.view ? *before_.view : kept_state();
    requests.note({{state, held_.grid, requests.box()}});
    before_.files.reset();
    before_.view.reset();
  } else {
    state.cloud.paths.clear();
    requests.note(std::nullopt);
  }
}

void ViewSession::fail(const Error& error, bool is_open) {
  last_error_ = error;
  if (error.kind() != ErrorKind::cancelled)
    failures.add(failure_of(error, state, requests.has_stream()));
  // If samples are open but nothing is shown, the controls may fix the error.
  if (shown_ || !is_open) restore();
}

void ViewSession::Given::require(ViewSession& session) {
  const ViewState& asked = *session.shown_;
  ViewScene& scene = session.scene;
  const bool sample_given = std::exchange(sample, false);
  const bool slice_given = std::exchange(slice, false);
  const auto refuse = [&](std::string_view flag, std::int64_t given, const std::string& why) {
    session.state.slice = -1;
    throw Error(ErrorKind::usage, fmt::format("--{} {}: {}", flag, given, why));
  };
  if (!scene.cloud()) return;
  const auto samples = static_cast<std::int64_t>(scene.cloud()->points.size());
  if (sample_given && asked.sample >= samples)
    refuse("sample", asked.sample, fmt::format("the sample must be from 0 to {}", samples - 1));
  if (!slice_given) return;
  const std::int64_t slices = scene.density().grid().dims[2];
  if (asked.slice >= slices)
    refuse("slice", asked.slice, fmt::format("the grid slice must be from 0 to {}", slices - 1));
  const IndexRange reached = scene.reached_slices(session.state);
  if (!reached.empty() && (asked.slice < reached.begin || asked.slice >= reached.end))
    refuse("slice", asked.slice,
           fmt::format("the slice must be one that the kernel of sample {} reaches, {} to {}",
                       session.state.sample, reached.begin, reached.end - 1));
}

void ViewSession::take(WorkerResult result) {
  std::optional<ViewState> asked = requests.answered_by(result);
  if (!asked) asked = shown_;  // a stream's further result for a request already answered
  const bool is_newest = requests.is_answered(), is_open = result.cloud != nullptr;
  if (result.error) {
    // Errors of outdated requests are not reported.
    if (is_newest) fail(*result.error, is_open);
    return;
  }
  try {
    const bool other_files =
        !shown_ || shown_->cloud != asked->cloud || shown_->reading != asked->reading;
    scene.show(std::move(result), state, !held_.on);
    if (other_files) {
      fit.forget();
      scene.view.ellipsoids.forget_fitted();
    }
    if (before_.files && asked->cloud.paths == before_.files->cloud.paths)
      take_density(*asked, *before_.files);
    else
      before_.files.reset();
    shown_ = std::move(asked);
    planned_.reset();
    last_error_.reset();
    if (is_newest) {
      requests.note_picture();
      before_.view.reset();
    }
    if (other_files) face_cloud();
    if (std::exchange(given_.peak, false)) state.sections.at = scene.view.volume.peak_place();
    given_.require(*this);
  } catch (const Error& error) {
    if (is_newest) fail(error, is_open);
  }
}

void ViewSession::take(PlannedDensity planned) {
  if (!requests.is_newest(planned) || scene.has_density()) return;
  scene.show_planned(std::move(planned), state);
  planned_ = requests.last();
  face_cloud();
}

bool ViewSession::poll() {
  std::optional<PlannedDensity> planned = requests.worker().poll_planned();
  if (planned) take(std::move(*planned));
  std::optional<WorkerResult> result = requests.worker().poll();
  if (result) take(std::move(*result));
  const auto fitted = fit.poll();
  if (fitted && fitted->error) add_error(text_with_controls(*fitted->error));
  if (fitted && fitted->result) {
    scene.view.ellipsoids.show_fitted(fitted->result->mixture);
    state.member = -1;
    if (state.ellipsoids == EllipsoidsShown::off) state.ellipsoids = EllipsoidsShown::under;
  }
  const bool found = questions.poll(asked());
  while (const auto problem = questions.take_problem()) add_error(text_with_controls(*problem));
  return planned || result || fitted || found;
}

void ViewSession::wait(const std::function<bool()>& cancelled) {
  constexpr std::chrono::milliseconds kLookAgain{50};
  update_request();
  while (!requests.is_answered()) {
    if (cancelled()) throw Error(ErrorKind::cancelled, "cancelled");
    if (std::optional<WorkerResult> result = requests.worker().poll_for(kLookAgain))
      take(std::move(*result));
  }
  if (last_error_) throw Error(*last_error_);
}

void ViewSession::face_cloud() {
  if (!given_.first || !given_.first->looks_as(state.camera)) return;
  given_.first = first_camera(scene, state);
  state.camera.azimuth = given_.first->azimuth;
  state.camera.elevation = given_.first->elevation;
}

ViewState ViewSession::kept_state() const {
  ViewState kept = state;
  if (shown_) take_density(before_.files ? *before_.files : *shown_, kept);
  return kept;
}

void ViewSession::add_error(std::string error) {
  if (error.empty()) return;
  failures.add({.text = std::move(error), .remedies = {}, .columns = {}, .asked = state});
}

void start_fit(ViewSession& session, std::size_t members) {
  if (!session.scene.has_density()) return;
  FitJob job = fit_job(session.scene);
  job.spec.members = members;
  job.spec.device = session.state.density.device;
  job.spec.options = session.state.density.options;
  session.fit.start(std::move(job));
}

void show_peak(ViewSession& session) {
  Sections& sections = session.state.sections;
  sections.at = session.scene.view.volume.peak_place();
  if (sections.shown == SectionsShown::off && session.state.layout != ViewLayout::slices)
    sections.shown = SectionsShown::within;
}

void reload(ViewSession& session) {
  const std::vector<std::string>& paths = session.state.cloud.paths;
  if (!paths.empty() && io::first_read_once(paths).empty()) ++session.state.reading;
}

void apply(const Remedy& remedy, ViewSession& session) {
  session.open_view(remedied(session.failures.take_asked(session.state), remedy));
}

void ask_columns(ViewSession& session) {
  const CloudFiles& cloud = session.state.cloud;
  auto columns = column_choice(cloud.paths, cloud.columns, cloud.open);
  if (!columns) return session.add_error("there are no columns to choose from");
  session.failures.add(
      {.text = "", .remedies = {}, .columns = std::move(columns), .asked = session.state});
}

void choose_columns(const ColumnChoice& columns, ViewSession& session) {
  ViewState asked = session.failures.take_asked(session.state);
  columns.apply(asked.cloud.columns);
  session.open_view(std::move(asked));
}

}  // namespace skde::view
