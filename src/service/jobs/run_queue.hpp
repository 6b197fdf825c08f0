#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/stage_times.hpp"
#include "service/jobs/worker_order.hpp"
#include "service/store/data_folder.hpp"
#include "system/stop_watch.hpp"

namespace skde::service {

/// Memory of a worker after its last run, in bytes.
struct WorkerMemory {
  std::uint64_t samples = 0;       ///< of clouds in memory
  std::uint64_t device_used = 0;   ///< of its GPU, by all processes
  std::uint64_t device_total = 0;  ///< 0: no GPU
};

/// Counters of runs, for the metrics.
struct JobMetrics {
  std::uint64_t cache_hits = 0, cache_misses = 0, crashes = 0, runs = 0;
  double run_seconds = 0;
  std::map<std::string, double> stage_seconds;
  std::map<std::string, WorkerMemory> memory;  ///< by the role of the worker
};

/// A process that takes orders, one after the other.
class Worker {
 public:
  struct Events {
    std::function<void(nlohmann::ordered_json&)> message;
    std::function<void(const std::string& why)> end;  ///< such as "signal 11 (Segmentation fault)"
  };
  virtual ~Worker() = default;
  virtual void send(const nlohmann::ordered_json& json) = 0;
  /// Ends the process without asking.
  virtual void kill() = 0;
  /// Returns false if it has not answered for some seconds: it is stopped, or the machine hangs.
  virtual bool answers() const = 0;
};
/// Starts a worker of this role: "cpu", "beside", or the number of a GPU.
using StartWorker =
    std::function<std::shared_ptr<Worker>(Worker::Events events, const std::string& role)>;

/// What a run is predicted to need, by the command itself and the offers of the engines.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct RunForecast : WorkForecast {
  std::optional<nlohmann::ordered_json> refusal;  ///< why it can never run here
};
using TakeForecast = std::function<void(const RunForecast&)>;

/// A computation that jobs wait for.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct Run {
  std::uint64_t number = 0;
  std::string key;
  std::string owner;  ///< token that asked first
  WorkerOrder order;
  int attempts = 0;
  bool running = false, stopped = false;
  std::int64_t begun = 0;           ///< time of arrival, in milliseconds
  double expected_seconds = 0;      ///< predicted by the engines; 0 if unknown
  double host_bytes = 0;            ///< predicted; 0 if unknown
  bool is_light = false;            ///< takes at most a few seconds of a CPU
  std::optional<bool> on_device{};  ///< true: on a GPU; empty: anywhere
  std::string stage, unit;
  std::uint64_t done = 0, total = 0;
  int percent = 0;
  StopWatch stage_watch;
  double rate = 0;
  nlohmann::ordered_json result;      ///< if it succeeded
  nlohmann::ordered_json problem;     ///< if it failed
  std::vector<ServerFilePtr> opened;  ///< files that it reads

  void take(const RunForecast& forecast);
  /// Takes what its worker says of a stage.
  void take_progress(const nlohmann::ordered_json& json);
};
using RunPtr = std::shared_ptr<Run>;

/// Returns 0 for a run that is not among those that wait, else its place in the queue, from 1,
/// given that owners take turns.
std::size_t position_of(const std::list<RunPtr>& waiting, const Run& run);

/// The workers, and the runs and the predictions that wait for one. An extra worker predicts runs,
/// and takes the light ones, so that a long run of one token does not keep others from looking at
/// their clouds.
class RunQueue {
 public:
  struct Events {
    std::function<void(Run&)> news;  ///< it began or made progress
    /// Its worker has predicted what it needs, as nobody had before it began.
    std::function<void(Run&, const RunForecast&)> forecast;
    /// Its worker begins to send the result; returns whether its client takes it.
    std::function<bool(Run&, const nlohmann::ordered_json&)> stream;
    /// The outputs are in its folder, which now belongs to the listener; a power cut could still
    /// remove them.
    std::function<void(const RunPtr&)> end;
    StartWorker start;
  };
  /// `run_seconds`: longest predicted time; a run that takes twice as long is stopped.
  RunQueue(boost::asio::io_context& context, const DataFolder& folder, JobMetrics& metrics,
           double run_seconds);
  void start(Events events);
  RunPtr add(std::string key, std::string owner, WorkerOrder order, int attempts);
  /// Has an idle worker predict an order. Calls `told` once, with an empty forecast if the answer
  /// takes too long.
  void predict(WorkerOrder order, TakeForecast told);
  /// The same for a run that still waits after a moment.
  void predict_if_waiting(const RunPtr& run, TakeForecast told);
  /// Ends a run in any state; its end is reported as usual.
  void stop(Run& run);
  const std::list<RunPtr>& waiting() const { return waiting_; }
  std::size_t running() const;
  /// Returns true if no run in progress is known to take long.
  bool is_brisk() const;
  /// Returns true once a worker has started and answers.
  bool ready() const;
  /// Begins the runs that can begin, as more may be known about those that wait.
  void dispatch();
  /// While `held` is true, no run begins.
  void hold(bool held);
  /// From now on, no run begins.
  void close() { closed_ = true; }
  bool closed() const { return closed_; }

 private:
  /// An order to be predicted.
  // NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
  struct Question {
    WorkerOrder order;
    TakeForecast told;  ///< null after a timeout, when the worker is to stop
    boost::asio::steady_timer timer;

    void answer(const RunForecast& forecast);
  };
  using QuestionPtr = std::shared_ptr<Question>;
  struct Slot {
    std::string role;
    bool has_gpu = false;
    bool beside = false;  ///< for light runs, while long runs of other tokens are in progress
    std::shared_ptr<Worker> worker;
    RunPtr run;
    QuestionPtr question;
    bool ready = false;
    int failures = 0;  ///< consecutive
    std::unique_ptr<boost::asio::steady_timer> timer;

    bool is_idle() const { return ready && !run && !question; }
  };

  void start_worker(Slot& slot);
  void ask(Slot& slot);
  void expect_answer(const QuestionPtr& question);
  void begin(Slot& slot);
  bool fits(const Slot& slot, const Run& run) const;
  void on_message(Slot& slot, nlohmann::ordered_json& json);
  void on_answer(Slot& slot, const nlohmann::ordered_json& json);
  void on_worker_end(Slot& slot, const std::string& why);
  void expect_end(Slot& slot);

  boost::asio::io_context& context_;
  const DataFolder& folder_;
  JobMetrics& metrics_;
  const double most_seconds_;
  Events events_;
  std::list<Slot> slots_;
  std::list<RunPtr> waiting_;
  std::list<QuestionPtr> questions_;                         ///< that wait for a worker
  std::map<std::string, std::uint64_t, std::less<>> turns_;  ///< last turn of each owner
  std::uint64_t next_number_ = 1;                            ///< of runs, questions and turns
  bool closed_ = false, held_ = false;
};

/// Returns the run to start next among the waiting runs that fit; the end if none fits. Tokens take
/// turns: the token with the lowest `last_turn(run)` is next; 0 means that it had no turn yet. Of
/// its runs, the one with the lowest expected time minus waiting time comes first. A small run can
/// overtake a large one only if it came at most the large run's expected time later; so large runs
/// get their turn too. Runs have `expected_seconds`, and `begun` in milliseconds, as `now`.
template <class Runs, class Fits, class LastTurn>
auto first_to_run(Runs& waiting, std::int64_t now, const Fits& fits, const LastTurn& last_turn) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto rank = [&](const auto& run) -> std::pair<std::uint64_t, double> {
    if (!fits(*run)) return {std::numeric_limits<std::uint64_t>::max(), kNever};
    return {last_turn(*run), run->expected_seconds - static_cast<double>(now - run->begun) * 1e-3};
  };
  const auto first = std::ranges::min_element(waiting, {}, rank);
  return first == waiting.end() || !fits(**first) ? waiting.end() : first;
}

}  // namespace skde::service
