#include "viewer/session/view_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "cli/options/width_options.hpp"
#include "estimate/read/cloud.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/volumes/volume_formats.hpp"
#include "viewer/mixture/fitted_file.hpp"
#include "viewer/session/density_controls.hpp"

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

}  // namespace

ViewSession::ViewSession(const ViewOptions& options, std::function<void()> wake)
    : state(options.state),
      scene(options.state.density.options.device, options.interop),
      window_(options.window),
      sample_given_(options.sample_given),
      slice_given_(options.slice_given),
      at_peak_(options.at_peak),
      worker_({.resident = true}, wake),
      fit_worker_(wake),
      score_(wake),
      comparison_(wake),
      points_(wake),
      points_of_b_(std::move(wake)) {}

void ViewSession::open_files(std::vector<std::string> paths) {
  if (paths.empty()) return;  // something other than files was dropped
  if (shown_ && !before_files_) before_files_ = kept_state();
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
  if (shown_ && !same_density(*shown_, view)) before_view_ = kept_state();
  state = std::move(view);
}

void ViewSession::hold_frame(bool holds) {
  if (holds == holds_frame_) return;
  holds_frame_ = holds;
  held_.reset();
  const GridSpec& grid = state.density.grid;
  if (holds && scene.has_density() && !follows_stream() && !state.density.like && !grid.bounds)
    held_ = scene.density().grid();
  if (holds) return;
  if (state.axis_follows_density) scene.fit_axis(state);
  scene.fit_opacities(state);
}

void ViewSession::update_questions() {
  score_.update(state.score, scene.cloud(), state.density);
  if (pictured() != nullptr) points_.update(state.point_look, scene.cloud(), pictured()->within);
  const auto& b = scene.compared_cloud();
  points_of_b_.update(state.point_look, b,
                      b && b == scene.cloud() ? pictured()->within : decltype(state.within)());
  scene.show_points(points_.points(), points_of_b_.points());
  update_comparison();
}

void ViewSession::update_comparison() {
  const LiveComparison::Wanted wanted{state.compare, scene.has_density() ? scene.version() : 0};
  if (!comparison_.is_new(wanted)) return;
  const bool compares = !wanted.compare.with.empty() && shown_;
  if (!compares) box_of_b_.reset();
  std::optional<Error> problem;
  if (compares) try {
      CompareJob job =
          compare_job(wanted.compare, shown_->cloud, scene.cloud(), shown_->density,
                      scene.time() ? time_condition(shown_->time.column, *scene.time()) : "");
      job.like = {scene.density().grid(), scene.density().metadata.frame};
      io::take_middle(job.files.columns.geographic, job.like.frame);
      job.follows_samples =
          scene.cloud() && !held_ && shown_->time.column.empty() && !shown_->density.gives_box();
      job.held = requested_box_;
      job.a = std::make_shared<const Volume>(scene.texture().read_back());
      return comparison_.request(wanted, std::move(job));
    } catch (const Error& error) {
      problem = error;
    }
  comparison_.drop(wanted, std::move(problem));
  compared_ = {};
  scene.forget_compared(state);
}

void ViewSession::take(Comparison comparison) {
  if (comparison.wider) return void(box_of_b_ = comparison.wider);  // the next density's holds it
  const auto told_h = [](double h) { return h > 0 ? fmt::format("h = {:.4g}", h) : ""; };
  const std::string& with = state.compare.with;
  compared_ = {.a = told_h(scene.density().metadata.h), .b = told_h(comparison.h)};
  const std::size_t equals = with.find('=');
  if (!with.starts_with("h=") && !with.starts_with("bandwidth=")) {
    if (with.starts_with("kernel=")) compared_.a = shown_->density.kernel->name;
    if (with.starts_with("where=")) compared_.a = shown_->cloud.columns.where;
    if (equals == with.npos)
      compared_.a = std::filesystem::path(shown_->cloud.paths.front()).filename().string();
    compared_.b = with.substr((equals == with.npos ? with.rfind('/') : equals) + 1);
  }
  if (comparison.figures) compared_.lines = comparison_lines(*comparison.figures);
  compared_.notes = comparison.notes;
  if (!scene.cloud() && comparison.cloud)
    compared_.notes.emplace_back("B is estimated on the grid of the volume A");
  scene.show_compared(std::move(comparison), state.compare.as, state);
}

CompareFacts ViewSession::comparison() const {
  CompareFacts facts = compared_;
  facts.status = comparison_.status();
  if (!scene.has_density()) facts.problem = "no density yet";
  if (comparison_.problem()) facts.problem = text_with_controls(*comparison_.problem());
  return facts;
}

void ViewSession::wait_for_questions(const std::function<bool()>& cancelled) {
  update_questions();
  score_.wait(cancelled);
  points_.wait(cancelled);
  if (auto comparison = comparison_.wait(cancelled)) take(std::move(*comparison));
  if (box_of_b_ != requested_box_) return wait(cancelled), wait_for_questions(cancelled);
  update_questions();
  points_of_b_.wait(cancelled);
  update_questions();
}

void ViewSession::show_peak() {
  state.sections.at = scene.peak_place();
  if (state.sections.shown == SectionsShown::off && state.layout != ViewLayout::slices)
    state.sections.shown = SectionsShown::within;
}

void ViewSession::reload() {
  if (!state.cloud.paths.empty() && io::first_read_once(state.cloud.paths).empty()) ++state.reading;
}

ViewState ViewSession::take_asked() {
  if (failures_.empty()) return state;
  ViewState asked = std::move(failures_.front().asked);
  failures_.pop_front();
  return asked;
}

void ViewSession::apply(const Remedy& remedy) { open_view(remedied(take_asked(), remedy)); }

void ViewSession::ask_columns() {
  auto columns = column_choice(state.cloud.paths, state.cloud.columns, state.cloud.open);
  if (!columns) return add_error("there are no columns to choose from");
  failures_.push_back({.text = "", .remedies = {}, .columns = std::move(columns), .asked = state});
}

void ViewSession::choose_columns(const ColumnChoice& columns) {
  ViewState asked = take_asked();
  columns.apply(asked.cloud.columns);
  open_view(std::move(asked));
}

void ViewSession::pause(bool paused) {
  paused_ = paused;
  worker_.pause(paused);
}

void ViewSession::update_request() {
  if (planned_ && planned_->cloud != state.cloud) {
    planned_.reset();
    scene.forget_planned(state);
  }
  update_questions();
  if (state.cloud.paths.empty() || (requested_ && same_density(*requested_, state) &&
                                    held_ == requested_held_ && box_of_b_ == requested_box_))
    return;
  requested_ = state;
  requested_held_ = held_;
  requested_box_ = box_of_b_;
  if (wants_input_again())
    return fail({ErrorKind::usage,
                 "standard input has been read to its end and cannot be read again",
                 {{}, "save it to a file, and open the file"}},
                true);
  if (reads_input()) input_ = state.cloud;
  since_request_ = StopWatch();
  WorkerRequest request{.files = state.cloud, .density = state.density, .reading = state.reading};
  request.within = state.within;
  if (held_) request.density.like = held_;
  request.holds = box_of_b_;
  request.time = state.time;
  request.announces = !scene.has_density();
  if (follows_stream()) request.window = window_;
  newest_ = worker_.request(std::move(request));
  requests_.emplace_back(newest_, state);
}

bool ViewSession::wants_input_again() const {
  if (!reads_input() || follows_stream() || !input_) return false;
  return *input_ != state.cloud ||
         (shown_ && (shown_->cloud != state.cloud || shown_->time.column != state.time.column));
}

void ViewSession::restore() {
  if (shown_) {
    state = before_view_ ? *before_view_ : kept_state();
    requested_ = state;
    requested_held_ = held_;
    before_files_.reset();
    before_view_.reset();
  } else {
    state.cloud.paths.clear();
    requested_.reset();
  }
}

ViewFailure ViewSession::failure_of(const Error& error) const {
  ViewFailure failure{.text = text_with_controls(error),
                      .remedies = remedies(error.advice(), state),
                      .columns = {},
                      .asked = state};
  const bool of_columns = std::ranges::count(kColumnParameters, error.parameter()) > 0;
  const bool of_reading = error.kind() == ErrorKind::usage || error.kind() == ErrorKind::input;
  if (of_columns && of_reading && !window_)
    failure.columns = column_choice(state.cloud.paths, state.cloud.columns, state.cloud.open);
  if (failure.columns) failure.columns->why = error.problem();
  return failure;
}

void ViewSession::fail(const Error& error, bool is_open) {
  last_error_ = error;
  if (error.kind() != ErrorKind::cancelled) failures_.push_back(failure_of(error));
  // If samples are open but nothing is shown, the controls may fix the error.
  if (shown_ || !is_open) restore();
}

void ViewSession::require_given_places(const ViewState& asked) {
  const bool sample_given = std::exchange(sample_given_, false);
  const bool slice_given = std::exchange(slice_given_, false);
  const auto refuse = [this](std::string_view flag, std::int64_t given, const std::string& why) {
    state.slice = -1;
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
  const IndexRange reached = scene.reached_slices(state);
  if (!reached.empty() && (asked.slice < reached.begin || asked.slice >= reached.end))
    refuse("slice", asked.slice,
           fmt::format("the slice must be one that the kernel of sample {} reaches, {} to {}",
                       state.sample, reached.begin, reached.end - 1));
}

void ViewSession::take(WorkerResult result) {
  answered_ = std::max(answered_, result.number);  // a stream's result may answer an earlier
                                                   // request
  std::optional<ViewState> asked;
  while (!requests_.empty() && requests_.front().first <= answered_) {
    asked = std::move(requests_.front().second);
    requests_.pop_front();
  }
  if (!asked) asked = shown_;  // a stream's further result for a request already answered
  const bool is_newest = answered_ == newest_, is_open = result.cloud != nullptr;
  if (result.error) {
    // Errors of outdated requests are not reported.
    if (is_newest) fail(*result.error, is_open);
    return;
  }
  try {
    const bool other_files =
        !shown_ || shown_->cloud != asked->cloud || shown_->reading != asked->reading;
    scene.show(std::move(result), state, !holds_frame_);
    if (other_files) {
      fit_worker_.abandon();
      fit_.reset();
      scene.forget_fitted();
    }
    if (before_files_ && asked->cloud.paths == before_files_->cloud.paths)
      take_density(*asked, *before_files_);
    else
      before_files_.reset();
    shown_ = std::move(asked);
    planned_.reset();
    last_error_.reset();
    if (is_newest) {
      recompute_seconds_ = since_request_.seconds();
      before_view_.reset();
    }
    if (std::exchange(at_peak_, false)) state.sections.at = scene.peak_place();
    require_given_places(*shown_);
  } catch (const Error& error) {
    if (is_newest) fail(error, is_open);
  }
}

void ViewSession::take(PlannedDensity planned) {
  if (planned.number != newest_ || scene.has_density()) return;
  scene.show_planned(std::move(planned), state);
  planned_ = requested_;
}

bool ViewSession::poll() {
  std::optional<PlannedDensity> planned = worker_.poll_planned();
  if (planned) take(std::move(*planned));
  std::optional<WorkerResult> result = worker_.poll();
  if (result) take(std::move(*result));
  std::optional<FitResult> fitted = fit_worker_.poll();
  if (fitted) take(std::move(*fitted));
  const bool scored = score_.poll(), of_a = points_.poll(), pointed = points_of_b_.poll() || of_a;
  for (LivePoints* const points : {&points_, &points_of_b_})
    if (const auto problem = points->take_problem()) add_error(text_with_controls(*problem));
  if (pointed) scene.show_points(points_.points(), points_of_b_.points());
  std::optional<Comparison> comparison = comparison_.poll();
  if (comparison) take(std::move(*comparison));
  return planned || result || fitted || scored || pointed || comparison;
}

void ViewSession::start_fit(std::size_t members) {
  if (!scene.has_density()) return;
  FitJob job = scene.fit_job();
  job.spec.members = members;
  job.spec.device = state.density.device;
  job.spec.options = state.density.options;
  fit_worker_.start(std::move(job));
}

void ViewSession::take(FitResult result) {
  if (result.error) return add_error(text_with_controls(*result.error));
  fit_ = std::move(result.fit);
  scene.show_fitted(fit_->mixture);
  state.member = -1;
  if (state.ellipsoids == EllipsoidsShown::off) state.ellipsoids = EllipsoidsShown::under;
}

void ViewSession::save_fit(const std::string& path) const {
  if (fit_) save_fitted(path, *fit_);
}

void ViewSession::wait(const std::function<bool()>& cancelled) {
  constexpr std::chrono::milliseconds kLookAgain{50};
  update_request();
  while (answered_ != newest_) {
    if (cancelled()) throw Error(ErrorKind::cancelled, "cancelled");
    if (std::optional<WorkerResult> result = worker_.poll_for(kLookAgain)) take(std::move(*result));
  }
  if (last_error_) throw Error(*last_error_);
}

double ViewSession::busy_seconds() const {
  return worker_.status().busy ? since_request_.seconds() : 0;
}

ViewState ViewSession::kept_state() const {
  ViewState kept = state;
  if (shown_) take_density(before_files_ ? *before_files_ : *shown_, kept);
  return kept;
}

const std::string& ViewSession::error() const {
  static const std::string kNone;
  return failures_.empty() ? kNone : failures_.front().text;
}

void ViewSession::add_error(std::string error) {
  if (error.empty()) return;
  failures_.push_back({.text = std::move(error), .remedies = {}, .columns = {}, .asked = state});
}

void ViewSession::dismiss_error() {
  if (!failures_.empty()) failures_.pop_front();
}

}  // namespace skde::view
