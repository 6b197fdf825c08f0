#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viewer/scene/view_scene.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/density_controls.hpp"
#include "viewer/session/density_requests.hpp"
#include "viewer/session/view_options.hpp"
#include "viewer/work/fit_worker.hpp"
#include "viewer/work/live_answers.hpp"

namespace skde::view {

/// What questions are about: the state that asks them, and what is shown.
struct Asked {
  ViewState& state;
  ViewScene& scene;
  const ViewState* shown;      ///< the state that the picture shows; null before the first density
  const ViewState* pictured;   ///< the state whose samples are shown; null if there is none
  bool holds_grid;             ///< the grid stays as it is while h is dragged
  std::optional<Box> holds{};  ///< a box that the density's box holds
};

/// What is computed beside the density that is shown: scores of bandwidths, the comparison with
/// another density, and the samples of both that are shown.
class ViewQuestions {
 public:
  /// `wake` may be empty; else another thread calls it when poll() has something new.
  explicit ViewQuestions(const std::function<void()>& wake)
      : score_(wake), comparison_(wake), points_(wake), points_of_b_(wake) {}

  /// Asks what is new.
  void update(const Asked& asked);
  /// Takes what is finished; returns true if there was something.
  bool poll(const Asked& asked);
  /// Waits for the score, the samples and the comparison of the last update. Throws the Error that
  /// prevents it, and Error(cancelled) once `cancelled` returns true.
  void wait(const Asked& asked, const std::function<bool()>& cancelled);
  void wait_for_points_of_b(const std::function<bool()>& cancelled) {
    points_of_b_.wait(cancelled);
  }
  /// Returns why samples could not be found, once.
  std::optional<Error> take_problem();

  ScoreFacts score() const { return score_.facts(); }
  CompareFacts comparison() const;
  /// Returns true while something is computed.
  bool busy() const { return score_.facts().status.busy || comparison_.status().busy; }
  /// Returns the box of the density that is compared, which the next density's box is to hold.
  const std::optional<Box>& box_of_b() const { return box_of_b_; }

 private:
  void update_comparison(const Asked& asked);
  void take(Comparison comparison, const Asked& asked);

  LiveScore score_;
  LiveComparison comparison_;
  CompareFacts compared_;
  LivePoints points_, points_of_b_;
  std::optional<Box> box_of_b_;
};

/// What went wrong, and what the user can do about it.
struct ViewFailure {
  std::string text;                     ///< one line; empty if the user asked for the columns
  std::vector<Remedy> remedies{};       ///< changes to what was asked for
  std::optional<ColumnChoice> columns;  ///< set if other columns mend it
  ViewState asked{};                    ///< what could not be shown
};

/// The failures that the user has not dismissed.
class ViewFailures {
 public:
  /// Returns the oldest one; null if there is none.
  const ViewFailure* first() const { return all_.empty() ? nullptr : &all_.front(); }
  /// Returns its text; empty if there is none.
  std::string text() const { return all_.empty() ? "" : all_.front().text; }
  void add(ViewFailure failure) { all_.push_back(std::move(failure)); }
  void dismiss() {
    if (!all_.empty()) all_.pop_front();
  }
  /// Returns what the oldest one was asked for, and dismisses it; else the state.
  ViewState take_asked(const ViewState& state) {
    ViewState asked = all_.empty() ? state : std::move(all_.front().asked);
    dismiss();
    return asked;
  }

 private:
  std::deque<ViewFailure> all_;
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
  /// Requests the state's density unless it is the last one requested. Does nothing without files.
  /// Standard input is read only once: a request for other columns of it shows an error dialog.
  void update_request();
  /// Takes what has finished, a density or a fit; returns true if there was something.
  bool poll();
  /// Waits until the state's density is shown. Throws the Error that prevents it, and
  /// Error(cancelled) once `cancelled` returns true.
  void wait(const std::function<bool()>& cancelled);
  /// Waits for what is computed beside the density. Throws the Error that prevents it, and
  /// Error(cancelled) once `cancelled` returns true.
  void wait_for_questions(const std::function<bool()>& cancelled);
  /// While h is dragged: keeps the box and the colours' axis as they are, until called with false.
  void hold_frame(bool holds);

  CompareFacts comparison() const;
  /// Returns true if standard input is followed as a stream, whose samples are not kept.
  bool follows_stream() const { return requests.follows_stream(state); }
  /// Returns the state that the picture shows; none before the first density.
  const std::optional<ViewState>& shown() const { return shown_; }
  /// Returns shown(), or the state whose samples are shown before the first density; null if there
  /// is neither.
  const ViewState* pictured() const { return shown_ ? &*shown_ : planned_ ? &*planned_ : nullptr; }
  /// Returns true if the controls differ from what the picture shows.
  bool is_behind() const { return shown_ && !same_density(*shown_, state); }
  /// Returns the state with the files and density that are shown: the start of the next session.
  ViewState kept_state() const;
  /// Tells an error; none if the text is empty.
  void add_error(std::string error);

  ViewState state;
  ViewScene scene;
  ViewFailures failures;  ///< that the user has not dismissed
  FitWorker fit;          ///< of ellipsoids; densities that come later do not change it
  ViewQuestions questions;
  DensityRequests requests;

 private:
  void take(WorkerResult result);
  void take(PlannedDensity planned);
  void fail(const Error& error, bool is_open);
  /// Turns the camera to the cloud, which is another one, unless somebody has moved it.
  void face_cloud();
  /// Resets the controls to what is shown.
  void restore();
  Asked asked();

  /// What flags name, and is not yet checked: a sample, a slice, and the peak for sections.
  struct Given {
    bool sample, slice, peak;
    std::optional<Camera> first;  ///< whose angles nobody has chosen
    /// Throws Error(usage) if the first density lacks the sample or the slice.
    void require(ViewSession& session);
  } given_;
  /// Whether h is dragged, and the grid that stays meanwhile.
  struct Held {
    bool on = false;
    std::optional<Grid> grid{};
  } held_;
  std::optional<ViewState> shown_;
  std::optional<ViewState> planned_;  ///< whose samples are shown before the first density
  /// What to return to if files that are being opened, or a view, cannot be shown.
  struct Before {
    std::optional<ViewState> files{}, view{};
  } before_;
  std::optional<Error> last_error_;  ///< of the newest request
};

/// Reads the files again. Does nothing with standard input, which cannot be read again.
void reload(ViewSession& session);
/// Makes a change that the oldest failure, or else a warning, suggests.
void apply(const Remedy& remedy, ViewSession& session);
/// Asks for the columns of the open files, as a failure that says no more.
void ask_columns(ViewSession& session);
/// Reads the files of the oldest failure with these columns.
void choose_columns(const ColumnChoice& columns, ViewSession& session);
/// Fits this many ellipsoids to the density that is shown; does nothing without a density.
void start_fit(ViewSession& session, std::size_t members);
/// Shows slices through the cell of the largest value. Requires a density.
void show_peak(ViewSession& session);

}  // namespace skde::view
