#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs/job_metrics.hpp"
#include "service/store/allowed_folders.hpp"
#include "service/store/data_folder.hpp"
#include "service/worker/run_planner.hpp"
#include "service/worker/worker_link.hpp"
#include "system/stop_watch.hpp"

namespace skde::service {

/// A computation that jobs wait for.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct Run {
  std::uint64_t number = 0;
  std::string key;
  std::string owner;  ///< token that asked first
  nlohmann::ordered_json order;
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
};

/// The workers, and the runs that wait for one. An extra worker takes the light runs, so that a
/// long run of one token does not keep others from looking at their clouds.
class RunQueue {
 public:
  struct Events {
    std::function<void(Run&)> news;  ///< it began or made progress
    /// Its worker has predicted what it needs, as nobody had before it began.
    std::function<void(Run&, const RunForecast&)> forecast;
    /// The outputs are in its folder, which now belongs to the listener; a power cut could still
    /// remove them.
    std::function<void(const std::shared_ptr<Run>&)> end;
  };
  /// `run_seconds`: longest predicted time; a run that takes twice as long is stopped.
  RunQueue(boost::asio::io_context& context, const DataFolder& folder, JobMetrics& metrics,
           double run_seconds);
  void start(Events events);
  std::shared_ptr<Run> add(std::string key, std::string owner, nlohmann::ordered_json order,
                           int attempts);
  /// Ends a run in any state; its end is reported as usual.
  void stop(Run& run);
  /// Returns 0 for a run that does not wait, else its place in the queue, from 1, given that owners
  /// take turns.
  std::size_t position_of(const Run& run) const;
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t waiting(std::string_view owner) const;
  std::size_t running() const;
  /// Returns true if a run would begin at once, alone.
  bool idle() const {
    return running() == 0 && waiting_.empty() && !closed_ && !held_ && slots_.front().ready;
  }
  /// Returns true once a worker has started and answers.
  bool ready() const;
  /// Tries again to begin runs, as more is known about those that wait.
  void look_again() { dispatch(); }
  /// While `held` is true, no run begins.
  void hold(bool held) {
    held_ = held;
    dispatch();
  }
  /// From now on, no run begins.
  void close() { closed_ = true; }
  bool closed() const { return closed_; }

 private:
  struct Slot {
    std::string role;
    bool has_gpu = false;
    bool beside = false;  ///< for light runs, while long runs of other tokens are in progress
    std::shared_ptr<WorkerLink> link;
    std::shared_ptr<Run> run;
    bool ready = false;
    int failures = 0;  ///< consecutive
    std::unique_ptr<boost::asio::steady_timer> timer;
  };

  void start_worker(Slot& slot);
  void dispatch();
  std::list<std::shared_ptr<Run>>::iterator choose(const Slot& slot);
  bool fits(const Slot& slot, const Run& run) const;
  bool is_for(const Slot& slot, const Run& run) const;
  void on_message(Slot& slot, const nlohmann::ordered_json& json);
  void on_worker_end(Slot& slot, const std::string& why);
  void finish(Slot& slot);
  void expect_end(Slot& slot);

  boost::asio::io_context& context_;
  const DataFolder& folder_;
  JobMetrics& metrics_;
  const double most_seconds_;
  Events events_;
  std::list<Slot> slots_;
  std::list<std::shared_ptr<Run>> waiting_;
  std::map<std::string, std::uint64_t, std::less<>> turns_;  ///< last turn of each owner
  std::uint64_t next_turn_ = 1;
  std::uint64_t next_number_ = 1;
  bool closed_ = false, held_ = false;
};

}  // namespace skde::service
