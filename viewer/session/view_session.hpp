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
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// The files of a view that shows a stream.
inline const std::vector<std::string> kStandardInput{"-"};

/// A view and the worker that keeps its density up to date. Belongs to the thread of the GL
/// context.
///
/// `state` is what the controls say. The picture may be another one while the worker is busy
/// (is_behind()); what fails or is cancelled restores the controls to what the picture shows.
class ViewSession {
 public:
  /// `wake` is called by the worker's thread when poll() has something new; may be empty.
  explicit ViewSession(const ViewOptions& options, std::function<void()> wake = {});

  /// Turns to other files, as when they are dropped on the window. How the user looks at things
  /// stays; what belongs to the old cloud is forgotten (forget_cloud()); a volume is shown alone.
  /// Where the files cannot be shown, all is as before.
  void open_files(std::vector<std::string> paths);
  /// Turns to a view that was saved, with its files; those that are open stay where it has none.
  /// Where it cannot be shown, all is as before.
  void open_view(ViewState view);
  /// Asks for the state's density where it is not the one that was asked for last. Without files
  /// nothing happens. Standard input is read once: other columns of it are an error in the dialog.
  void update_request();
  /// Takes in what the worker has finished; true where the picture or the controls are others now.
  bool poll();
  /// Waits until the state's density is shown; throws the Error that prevents it, and
  /// Error(cancelled) where `cancelled` says so.
  void wait(const std::function<bool()>& cancelled);
  /// Ends the computation that goes on.
  void cancel() { worker_.cancel(); }

  WorkerStatus status() const { return worker_.status(); }
  /// Seconds since the last request; 0 where nothing goes on.
  double busy_seconds() const;
  /// Seconds from the last request to its picture being ready to be drawn.
  double recompute_seconds() const { return recompute_seconds_; }

  /// True where standard input is followed, whose samples nobody keeps.
  bool follows_stream() const { return window_ && state.cloud.paths == kStandardInput; }
  /// True where standard input is among the files, to which nobody can come back.
  bool reads_input() const { return std::ranges::count(state.cloud.paths, "-") > 0; }
  /// What the picture shows; none before the first density.
  const std::optional<ViewState>& shown() const { return shown_; }
  /// True where the controls say something else than the picture shows.
  bool is_behind() const { return shown_ && !same_density(*shown_, state); }
  /// The state with files and density as they are shown: what a next session begins with.
  ViewState kept_state() const;

  /// The oldest error that nobody has read, one line; empty where there is none.
  const std::string& error() const;
  void add_error(std::string error);
  void dismiss_error();

  ViewState state;
  ViewScene scene;

 private:
  void take(WorkerResult result);
  void fail(const Error& error, bool is_open);
  /// The controls say again what is shown.
  void restore();

  /// True where standard input would have to be read a second time.
  bool wants_input_again() const;
  /// Throws Error(usage) where the first density has no such sample or slice as flags name.
  void require_given_places(const ViewState& asked);

  std::optional<WindowSpec> window_;  ///< of the stream that standard input is
  std::optional<CloudFiles> input_;   ///< as standard input was read
  bool sample_given_, slice_given_;   ///< and not looked at yet
  SessionWorker worker_;
  std::deque<std::pair<std::uint64_t, ViewState>> requests_;  ///< that have no answer yet
  std::optional<ViewState> requested_;                        ///< last
  std::optional<ViewState> shown_;
  /// What to return to where files that are being opened cannot be shown.
  std::optional<ViewState> before_files_;
  std::optional<ViewState> before_view_;  ///< the same of a whole view
  std::uint64_t newest_ = 0, answered_ = 0;
  StopWatch since_request_;
  double recompute_seconds_ = 0;
  std::deque<std::string> errors_;
  std::optional<Error> failure_;
};

}  // namespace skde::view
