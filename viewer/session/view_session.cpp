#include "viewer/session/view_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cli/options/density_options.hpp"
#include "estimate/read/cloud.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/volumes/volume_formats.hpp"
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

void ViewQuestions::update(const Asked& asked) {
  ViewScene& scene = asked.scene;
  const ViewState& state = asked.state;
  score_.update(state.score, scene.cloud(), state.density);
  if (asked.pictured != nullptr)
    points_.update(state.point_look, scene.cloud(), asked.pictured->within);
  const auto b = scene.compared.cloud();
  points_of_b_.update(state.point_look, b,
                      b && b == scene.cloud() ? asked.pictured->within : decltype(state.within)());
  show_points(scene, points_.result(), points_of_b_.result());
  update_comparison(asked);
}

void ViewQuestions::update_comparison(const Asked& asked) {
  ViewScene& scene = asked.scene;
  const ViewState* const shown = asked.shown;
  const WantedComparison wanted{asked.state.compare,
                                scene.has_density() ? scene.view.volume.version() : 0};
  if (!comparison_.is_new(wanted)) return;
  const bool compares = !wanted.compare.with.empty() && shown != nullptr;
  if (!compares) box_of_b_.reset();
  std::optional<Error> problem;
  if (compares) try {
      CompareJob job =
          compare_job(wanted.compare, shown->cloud, scene.cloud(), shown->density,
                      scene.time ? time_condition(shown->time.column, *scene.time) : "");
      job.like = {scene.density().grid(), scene.density().metadata.frame};
      io::take_middle(job.files.columns.geographic, job.like.frame);
      job.follows_samples = scene.cloud() && !asked.holds_grid && shown->time.column.empty() &&
                            !shown->density.gives_box();
      job.held = asked.holds;
      job.a = std::make_shared<const Volume>(scene.view.volume.texture().read_back());
      return comparison_.ask(wanted, std::move(job));
    } catch (const Error& error) {
      problem = error;
    }
  comparison_.ask(wanted, std::nullopt, std::move(problem));
  compared_ = {};
  scene.forget_compared(asked.state);
}

void ViewQuestions::take(Comparison comparison, const Asked& asked) {
  if (comparison.wider) return void(box_of_b_ = comparison.wider);  // the next density's holds it
  ViewScene& scene = asked.scene;
  const ViewState& shown = *asked.shown;
  const auto told_h = [](double h) { return h > 0 ? fmt::format("h = {:.4g}", h) : ""; };
  const std::string& with = asked.state.compare.with;
  compared_ = {.a = told_h(scene.density().metadata.h), .b = told_h(comparison.h)};
  const std::size_t equals = with.find('=');
  if (!with.starts_with("h=") && !with.starts_with("bandwidth=")) {
    if (with.starts_with("kernel=")) compared_.a = shown.density.kernel->name;
    if (with.starts_with("where=")) compared_.a = shown.cloud.columns.where;
    if (equals == with.npos)
      compared_.a = std::filesystem::path(shown.cloud.paths.front()).filename().string();
    compared_.b = with.substr((equals == with.npos ? with.rfind('/') : equals) + 1);
  }
  if (comparison.figures) compared_.lines = comparison_lines(*comparison.figures);
  compared_.notes = comparison.notes;
  if (!scene.cloud() && comparison.cloud)
    compared_.notes.emplace_back("B is estimated on the grid of the volume A");
  scene.show_compared(std::move(comparison), asked.state.compare.as, asked.state);
}

CompareFacts ViewQuestions::comparison() const {
  CompareFacts facts = compared_;
  facts.status = comparison_.status();
  if (comparison_.problem()) facts.problem = text_with_controls(*comparison_.problem());
  return facts;
}

bool ViewQuestions::poll(const Asked& asked) {
  const bool scored = score_.poll(), of_a = points_.poll(), pointed = points_of_b_.poll() || of_a;
  if (pointed) show_points(asked.scene, points_.result(), points_of_b_.result());
  const bool compared = comparison_.poll();
  if (const auto found = comparison_.take_result()) take(std::move(*found), asked);
  return scored || pointed || compared;
}

std::optional<Error> ViewQuestions::take_problem() {
  std::optional<Error> problem = points_.take_problem();
  return problem ? problem : points_of_b_.take_problem();
}

void ViewQuestions::wait(const Asked& asked, const std::function<bool()>& cancelled) {
  update(asked);
  score_.wait(cancelled);
  points_.wait(cancelled);
  comparison_.wait(cancelled);
  if (const auto found = comparison_.take_result()) take(std::move(*found), asked);
}

}  // namespace skde::view
