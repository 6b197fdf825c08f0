#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "core/report/error.hpp"
#include "core/space/grid.hpp"
#include "estimate/read/time_window.hpp"
#include "estimate/session.hpp"
#include "estimate/stream/followed_stream.hpp"

namespace skde {

class TimedCloud;  // estimate/read/timed_cloud.hpp

/// Samples, and the density to compute of them.
struct WorkerRequest {
  CloudFiles files;
  DensityRequest density;
  /// Set if the files are a stream to follow.
  std::optional<WindowSpec> window{};
  /// Only samples that lie within all of these are summed; they are then the result's cloud.
  std::vector<OutlinedPlaces> within{};
  std::uint64_t reading = 0;  ///< another number reads the files again, which may have changed
  /// If it names a column: only the samples in this window, and unless the request says what the
  /// box is, the box of all samples.
  TimeWindow time{};
  std::optional<Box> holds{};  ///< a box that the density's box holds too, unless one is given
  bool announces = false;      ///< hands over a PlannedDensity before it computes
};

/// The samples, grid and h of a density that is not computed yet.
struct PlannedDensity {
  std::uint64_t number = 0;  ///< of the request
  std::shared_ptr<const SampleCloud> cloud;
  Grid grid{};
  double h = 0;  ///< 0 if there is none, or if it is not known yet
  std::optional<TimeRange> time{};
};

/// How a request ended: with a density or with an error. A stream gives several densities for one
/// request; a newer request for the same files changes them.
struct WorkerResult {
  std::uint64_t number = 0;  ///< of the request, as request() returned it
  std::optional<Density> density;
  std::optional<Error> error;
  /// The cloud that is open now; if opening failed, it may be the previous one. Null for a volume.
  std::shared_ptr<const SampleCloud> cloud;
  std::optional<TimeRange> time{};  ///< set if the request has a column of times
};

/// What the worker is doing.
struct WorkerStatus {
  bool busy = false;
  std::string stage;            ///< for example "accumulate"; empty while idle
  std::optional<double> share;  ///< of the stage that is done; none if unknown
  std::uint64_t runs = 0;       ///< requests begun so far
  bool stream_ended = false;    ///< the followed stream brings no more samples
};

/// A thread that owns a session and works only on the newest request.
///
/// A request replaces the one that waits. A newer request cancels the running one if that is older
/// than kPatience: quick runs all finish, and slow ones do not delay the newest. Samples that are
/// being read are read to the end if the newer request needs them as well.
///
/// What poll() returns is complete and belongs to the caller. Runs write to other buffers until its
/// lease ends (see BufferPool), so it may be copied to the graphics card without a lock during the
/// next run.
class SessionWorker {
 public:
  static constexpr std::chrono::milliseconds kPatience{150};

  /// The worker's thread calls `on_result` when poll() has something new, to wake a sleeping frame
  /// loop. No lock is held. May be empty.
  explicit SessionWorker(SessionOptions options, std::function<void()> on_result = {});
  /// Cancels the running request and waits for its end.
  ~SessionWorker();
  SessionWorker(const SessionWorker&) = delete;
  SessionWorker& operator=(const SessionWorker&) = delete;

  /// Submits a request and returns its number; numbers count upwards from 1.
  std::uint64_t request(WorkerRequest request);
  /// Cancels the running request and drops the one that waits. The newest request then ends with
  /// Error(cancelled).
  void cancel();
  /// Stops reading the followed stream, whose sender then waits, or goes on reading it. Requests
  /// are served from the samples in the window meanwhile.
  void pause(bool paused);
  /// Returns the newest result, once.
  std::optional<WorkerResult> poll();
  /// Waits for a result if there is none yet, and returns it once.
  std::optional<WorkerResult> poll_for(std::chrono::milliseconds longest);
  /// Returns what is known of the density that is being computed, once, if its request announces
  /// it. It stays until a density or a newer request replaces it.
  std::optional<PlannedDensity> poll_planned();
  WorkerStatus status() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Receives the session's progress, and answers whether it must stop.
  class Reports final : public Progress {
   public:
    explicit Reports(SessionWorker& worker) : worker_(worker) {}
    void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
    void update(std::uint64_t done) override;
    bool cancelled() const override;

   private:
    SessionWorker& worker_;
    std::uint64_t total_ = 0;
  };

  /// Passes on what a stream brings, and requests to change it.
  class Follower;

  /// Returns what poll() returns. Requires the lock.
  std::optional<WorkerResult> newest();
  void work();
  /// Waits for a request and takes it. Returns false if the worker must end.
  bool take_request();
  /// Takes the request that waits. Requires the lock.
  void take_waiting();
  WorkerResult run(const WorkerRequest& request);
  /// Returns the session whose samples are summed: that of the files, or of a part of them.
  Session& session_for(const WorkerRequest& request);
  /// Hands over what is known of the density, if it can be planned.
  void announce(Session& session, const DensityRequest& request, const WorkerResult& result,
                Progress& reports);
  Density compute(Session& session, DensityRequest request, const std::optional<Box>& held,
                  Progress& reports);
  /// Opens the samples of the request's window of time. Returns the request with the box of all.
  DensityRequest open_time(const WorkerRequest& request, WorkerResult& result, Progress& reports);
  void run_window(const WorkerRequest& request, Progress& reports);
  void hand_over(WorkerResult result);
  /// Hands over a result of a request that continues.
  void hand_over_more(WorkerResult result);

  std::function<void()> on_result_;
  SessionOptions options_;
  Session session_;              // used only by the thread, as is what follows
  std::optional<Session> part_;  // of the samples
  std::shared_ptr<const SampleCloud> part_of_;
  std::vector<OutlinedPlaces> part_within_;
  std::unique_ptr<TimedCloud> timed_;
  std::optional<TimeRange> open_time_;  // whose samples are open

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable asked_, answered_;
  bool ending_ = false;
  bool running_ = false;
  bool stopped_ = false;  ///< set by cancel() until the next request begins
  std::uint64_t newest_ = 0;
  std::optional<WorkerRequest> waiting_;
  WorkerRequest current_;
  std::uint64_t current_number_ = 0;
  Clock::time_point begun_;
  bool opening_ = false, following_ = false, paused_ = false;
  std::uint64_t opened_reading_ = 0;  ///< of the files that are open
  WorkerStatus status_;
  std::optional<PlannedDensity> planned_;
  std::optional<WorkerResult> result_;
  std::optional<WorkerResult> refusal_;  ///< error in a stream; its densities do not replace it

  std::thread thread_;  // last, because it uses all members above
};

}  // namespace skde
