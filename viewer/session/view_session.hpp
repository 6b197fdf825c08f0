#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/stop_watch.hpp"
#include "estimate/worker.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// A view and the worker that keeps its density up to date. Belongs to the thread of the GL
/// context.
class ViewSession {
 public:
  /// `wake` is called by the worker's thread when poll() has something new; may be empty.
  explicit ViewSession(const ViewOptions& options, std::function<void()> wake = {});

  /// Turns to other files, as when they are dropped on the window. All that the user chose stays,
  /// but for the sample and slice, which were the old cloud's; a volume is shown alone.
  void open_files(std::vector<std::string> paths);
  /// Asks for the state's density where it is not the one that was asked for last. Without files
  /// nothing happens.
  void update_request();
  /// Shows what the worker has finished; true where the picture is another one now. Errors are kept
  /// for error().
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
  /// One line; empty where nothing is wrong.
  const std::string& error() const { return error_; }
  void set_error(std::string error) { error_ = std::move(error); }

  ViewState state;
  ViewScene scene;

 private:
  void take(WorkerResult result);

  SessionWorker worker_;
  std::optional<ViewState> requested_;
  std::uint64_t newest_ = 0, shown_ = 0;
  StopWatch since_request_;
  double recompute_seconds_ = 0;
  std::string error_;
  std::optional<Error> failure_;
};

}  // namespace skde::view
