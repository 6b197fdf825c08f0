#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimate/worker.hpp"
#include "system/stop_watch.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/remedy.hpp"
#include "viewer/session/view_options.hpp"
#include "viewer/work/fit_worker.hpp"
#include "viewer/work/live_answers.hpp"
#include "viewer/work/live_comparison.hpp"

namespace skde::view {

/// The paths of a view that shows a stream.
inline const std::vector<std::string> kStandardInput{"-"};

/// What went wrong, and what the user can do about it.
struct ViewFailure {
  std::string text;                     ///< one line; empty if the user asked for the columns
  std::vector<Remedy> remedies{};       ///< changes to what was asked for
  std::optional<ColumnChoice> columns;  ///< set if other columns mend it
  ViewState asked{};                    ///< what could not be shown
};

/// A view and the worker that keeps its density up to date. It belongs to the thread of the GL
/// context.
///
/// `state` holds what the controls say. While the worker is busy, the picture may differ from it
/// (is_behind()). Failure or cancellation resets the controls to what the picture shows.
class ViewSession {
 public:
  /// `wake` may be empty; else the worker's thread calls it when poll() has something new.
  explicit ViewSession(const ViewOptions& options, std::function<void()> wake = {});

  /// Switches to other files, for example files dropped on the window. Keeps how the user views
  /// things, but forgets what belongs to the old cloud (forget_cloud()). A volume is shown alone.
  /// If the files cannot be shown, everything stays as before.
  void open_files(std::vector<std::string> paths);
  /// Switches to a saved view with its files, or with the open ones if it has none. If it cannot be
  /// shown, everything stays as before.
  void open_view(ViewState view);
  /// Reads the files again. Does nothing with standard input, which cannot be read again.
  void reload();
  /// Makes a change that the oldest failure, or else a warning, suggests.
  void apply(const Remedy& remedy);
  /// Asks for the columns of the open files, as a failure that says no more.
  void ask_columns();
  /// Reads the files of the oldest failure with these columns.
  void choose_columns(const ColumnChoice& columns);
  /// Stops reading a stream, or goes on; see SessionWorker::pause().
  void pause(bool paused);
  bool paused() const { return paused_; }
  /// Requests the state's density unless it is the last one requested. Does nothing without files.
  /// Standard input is read only once: a request for other columns of it shows an error dialog.
  void update_request();
  /// Takes what has finished, a density or a fit; returns true if there was something.
  bool poll();
  /// Waits until the state's density is shown. Throws the Error that prevents it, and
  /// Error(cancelled) once `cancelled` returns true.
  void wait(const std::function<bool()>& cancelled);
  /// While h is dragged: keeps the box and the colours' axis as they are, until called with false.
  void hold_frame(bool holds);
  /// Waits for what is computed beside the density. Throws the Error that prevents it, and
  /// Error(cancelled) once `cancelled` returns true.
  void wait_for_questions(const std::function<bool()>& cancelled);
  ScoreFacts score() const { return score_.facts(); }
  CompareFacts comparison() const;
  /// Returns true while something is computed beside the density.
  bool is_asking() const { return score_.facts().status.busy || comparison_.status().busy; }
  /// Returns true if the box is larger than the samples need, for those of the other density.
  bool has_box_of_both() const { return scene.has_density() && requested_box_.has_value(); }
  /// Shows slices through the cell of the largest value. Requires a density.
  void show_peak();
  /// Cancels the running computation.
  void cancel() { worker_.cancel(); }

  /// Fits this many ellipsoids to the density that is shown. A density or files that come later do
  /// not change the running fit, but other files end it.
  void start_fit(std::size_t members);
  /// Ends the running fit with what it has.
  void stop_fit() { fit_worker_.stop(); }
  FitStatus fit_status() const { return fit_worker_.status(); }
  /// Returns the last fit to the density of these files; none before it has ended.
  const std::optional<MixtureFit>& fit() const { return fit_; }
  /// Writes the last fit. Throws what write_mixture() throws.
  void save_fit(const std::string& path) const;

  WorkerStatus status() const { return worker_.status(); }
  /// Returns the seconds since the last request; 0 if the worker is idle.
  double busy_seconds() const;
  /// Returns the seconds from the last request until its picture was ready to be drawn.
  double recompute_seconds() const { return recompute_seconds_; }

  /// Returns true if standard input is followed as a stream, whose samples are not kept.
  bool follows_stream() const { return window_ && state.cloud.paths == kStandardInput; }
  /// Returns true if standard input, which cannot be reopened, is among the files.
  bool reads_input() const { return std::ranges::count(state.cloud.paths, "-") > 0; }
  /// Returns the state that the picture shows; none before the first density.
  const std::optional<ViewState>& shown() const { return shown_; }
  /// Returns shown(), or the state whose samples are shown before the first density; null if there
  /// is neither.
  const ViewState* pictured() const { return shown_ ? &*shown_ : planned_ ? &*planned_ : nullptr; }
  /// Returns true if the controls differ from what the picture shows.
  bool is_behind() const { return shown_ && !same_density(*shown_, state); }
  /// Returns the state with the files and density that are shown: the start of the next session.
  ViewState kept_state() const;

  /// Returns the oldest error that has not been dismissed, in one line; empty if there is none.
  const std::string& error() const;
  /// Returns the oldest failure that has not been dismissed; null if there is none.
  const ViewFailure* failure() const { return failures_.empty() ? nullptr : &failures_.front(); }
  void add_error(std::string error);
  void dismiss_error();

  ViewState state;
  ViewScene scene;

 private:
  void take(WorkerResult result);
  void take(PlannedDensity planned);
  void take(FitResult result);
  void fail(const Error& error, bool is_open);
  /// Returns the failure with what mends it.
  ViewFailure failure_of(const Error& error) const;
  /// Returns what the oldest failure was asked for, and dismisses it; else the state.
  ViewState take_asked();
  /// Resets the controls to what is shown.
  void restore();
  /// Requests what is computed beside the density that is shown.
  void update_questions();
  void update_comparison();
  void take(Comparison comparison);

  /// Returns true if standard input would have to be read a second time.
  bool wants_input_again() const;
  /// Throws Error(usage) if the first density lacks a sample or slice that flags name.
  void require_given_places(const ViewState& asked);

  std::optional<WindowSpec> window_;  ///< of the stream on standard input
  std::optional<CloudFiles> input_;   ///< options with which standard input was read
  bool sample_given_, slice_given_;   ///< by flags, and not yet checked
  bool at_peak_;                      ///< whether slices wait for the peak of the first density
  SessionWorker worker_;
  FitWorker fit_worker_;
  LiveScore score_;
  LiveComparison comparison_;
  CompareFacts compared_;
  LivePoints points_, points_of_b_;
  std::optional<MixtureFit> fit_;
  std::deque<std::pair<std::uint64_t, ViewState>> requests_;  ///< not yet answered
  std::optional<ViewState> requested_;                        ///< last request
  std::optional<Grid> held_, requested_held_;  ///< grid that a drag of h keeps; of the last request
  std::optional<Box> box_of_b_,
      requested_box_;  ///< that the box of A holds too; in the last request
  bool holds_frame_ = false;
  std::optional<ViewState> shown_;
  std::optional<ViewState> planned_;  ///< whose samples are shown before the first density
  /// What to return to if files that are being opened cannot be shown.
  std::optional<ViewState> before_files_;
  std::optional<ViewState> before_view_;  ///< what to return to if a view cannot be shown
  std::uint64_t newest_ = 0, answered_ = 0;
  StopWatch since_request_;
  double recompute_seconds_ = 0;
  bool paused_ = false;  ///< the stream
  std::deque<ViewFailure> failures_;
  std::optional<Error> last_error_;  ///< of the newest request
};

}  // namespace skde::view
