#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimate/worker.hpp"
#include "system/stop_watch.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// The paths of a view that shows a stream.
inline const std::vector<std::string> kStandardInput{"-"};

/// Returns true if standard input, which cannot be reopened, is among the files.
bool reads_input(const ViewState& state);

/// The densities that are asked for, and the worker that computes them.
class DensityRequests {
 public:
  /// A state, the grid that a drag of h keeps, and a box that the density's box holds.
  struct Wanted {
    ViewState state;
    std::optional<Grid> held{};
    std::optional<Box> box{};
  };

  /// `window` is that of the stream on standard input, if there is one.
  DensityRequests(std::optional<WindowSpec> window, std::function<void()> wake)
      : window_(std::move(window)), worker_({.resident = true}, std::move(wake)) {}

  /// Returns true if that is not the last that was asked for.
  bool is_new(const ViewState& state, const std::optional<Grid>& held,
              const std::optional<Box>& box) const {
    return !last_ || !same_density(last_->state, state) || last_->held != held || last_->box != box;
  }
  /// Notes what is asked for, without a request.
  void note(std::optional<Wanted> wanted) { last_ = std::move(wanted); }
  /// Asks for what was noted. The worker tells what is planned if it `announces`.
  void request(bool announces);
  /// Returns the state that was asked for last; none if there is none.
  std::optional<ViewState> last() const {
    return last_ ? std::optional(last_->state) : std::nullopt;
  }
  /// Returns the box that its density's box holds.
  std::optional<Box> box() const { return last_ ? last_->box : std::nullopt; }

  /// Returns the state that a result answers, once; none for a stream's further results. Results
  /// that come later answer no earlier request.
  std::optional<ViewState> answered_by(const WorkerResult& result);
  /// Returns true if the newest request was answered.
  bool is_answered() const { return answered_ == newest_; }
  bool is_newest(const PlannedDensity& planned) const { return planned.number == newest_; }
  /// Notes that the picture is ready to be drawn.
  void note_picture() { recompute_seconds_ = since_.seconds(); }

  bool has_stream() const { return window_.has_value(); }
  /// Returns true if standard input is followed as a stream, whose samples are not kept.
  bool follows_stream(const ViewState& state) const {
    return window_ && state.cloud.paths == kStandardInput;
  }
  /// Returns true if standard input would have to be read a second time for a state, while another
  /// is shown.
  bool wants_input_again(const ViewState& state, const std::optional<ViewState>& shown) const;
  /// Stops reading a stream, or goes on; see SessionWorker::pause().
  void pause(bool paused) {
    paused_ = paused;
    worker_.pause(paused);
  }
  bool paused() const { return paused_; }
  SessionWorker& worker() { return worker_; }
  WorkerStatus status() const { return worker_.status(); }
  /// Returns the seconds since the last request; 0 if the worker is idle.
  double busy_seconds() const { return status().busy ? since_.seconds() : 0; }
  /// Returns the seconds from the last request until its picture was ready to be drawn.
  double recompute_seconds() const { return recompute_seconds_; }

 private:
  std::optional<WindowSpec> window_;
  std::optional<CloudFiles> input_;  ///< options with which standard input was read
  SessionWorker worker_;
  std::optional<Wanted> last_;
  std::deque<std::pair<std::uint64_t, ViewState>> waiting_;  ///< not yet answered
  std::uint64_t newest_ = 0, answered_ = 0;
  StopWatch since_;  ///< the last request
  double recompute_seconds_ = 0;
  bool paused_ = false;  ///< the stream
};

}  // namespace skde::view
