#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/report/error.hpp"
#include "estimate/session.hpp"
#include "estimate/stream/followed_stream.hpp"

namespace skde {

/// Which samples, and which density of them.
struct WorkerRequest {
  CloudFiles files;
  DensityRequest density;
  /// The files are a stream that is followed.
  std::optional<WindowSpec> window{};
};

/// How a request ended: with a density or with an error. Of a stream there are more densities for
/// the same request, and a newer one for the same files changes what they are.
struct WorkerResult {
  std::uint64_t number = 0;  ///< of the request, as request() returned it
  std::optional<Density> density;
  std::optional<Error> error;
  /// What is open now, which may be what was open before where opening failed; null for a volume.
  std::shared_ptr<const SampleCloud> cloud;
};

/// What the worker is at.
struct WorkerStatus {
  bool busy = false;
  std::string stage;            ///< "accumulate"; empty while idle
  std::optional<double> share;  ///< of the stage that is done; none where nobody knows
  std::uint64_t runs = 0;       ///< requests begun so far
};

/// A thread that owns a session and works on the newest request alone.
///
/// A request replaces the one that waits. One in work is cancelled by a newer one when it is older
/// than kPatience: quick runs are all seen, and slow ones do not hold the newest up. Samples that
/// are being read are read to the end where the newer request wants them as well.
///
/// What poll() hands over is whole and belongs to the caller: runs write to other buffers until its
/// lease ends (see BufferPool), so it may be copied to the graphics card without a lock while the
/// next run goes on.
class SessionWorker {
 public:
  static constexpr std::chrono::milliseconds kPatience{150};

  /// `on_result` is called by the worker's thread once poll() has something new, to wake a sleeping
  /// frame loop; no lock is held. May be empty.
  /// `check` is called by the same thread with every grid before anything is summed over it, and
  /// may refuse it with an Error; may be empty.
  explicit SessionWorker(SessionOptions options, std::function<void()> on_result = {},
                         std::function<void(const Grid&)> check = {});
  /// Cancels what is in work and waits for its end.
  ~SessionWorker();
  SessionWorker(const SessionWorker&) = delete;
  SessionWorker& operator=(const SessionWorker&) = delete;

  /// Returns the request's number; they count upwards from 1.
  std::uint64_t request(WorkerRequest request);
  /// Ends what is in work and drops what waits behind it; the result of the newest request is
  /// Error(cancelled).
  void cancel();
  /// The newest result, once.
  std::optional<WorkerResult> poll();
  /// The same, waiting for it where none is there.
  std::optional<WorkerResult> poll_for(std::chrono::milliseconds longest);
  WorkerStatus status() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Where the session's progress goes, and its questions whether to stop.
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

  /// Passes on what a stream brings and what is asked of it.
  class Follower;

  /// What poll() takes, under the lock.
  std::optional<WorkerResult> newest();
  void work();
  /// Waits for a request and takes it; false where the worker ends.
  bool take_request();
  /// The one that waits, under the lock.
  void take_waiting();
  WorkerResult run(const WorkerRequest& request);
  Density compute(const DensityRequest& request, Progress& reports);
  void run_window(const WorkerRequest& request, Progress& reports);
  void hand_over(WorkerResult result);
  /// The same of a request that goes on.
  void hand_over_more(WorkerResult result);

  std::function<void()> on_result_;
  std::function<void(const Grid&)> check_;
  Session session_;  // used by the thread alone

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable asked_, answered_;
  bool ending_ = false;
  bool running_ = false;
  bool stopped_ = false;  ///< by cancel(), until the next request is begun
  std::uint64_t newest_ = 0;
  std::optional<WorkerRequest> waiting_;
  WorkerRequest current_;
  std::uint64_t current_number_ = 0;
  Clock::time_point begun_;
  bool opening_ = false, following_ = false;
  WorkerStatus status_;
  std::optional<WorkerResult> result_;
  std::optional<WorkerResult> refusal_;  ///< of a stream, whose densities do not replace it

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace skde
