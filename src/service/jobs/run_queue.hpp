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
#include "service/worker/worker_link.hpp"

namespace skde::service {

/// A computation that jobs wait for.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct Run {
  std::uint64_t number = 0;
  std::string key;
  std::string owner;  ///< who asked for it first
  nlohmann::ordered_json order;
  int attempts = 0;
  bool running = false, stopped = false;
  std::int64_t begun = 0;           ///< when it came, milliseconds
  double expected_seconds = 0;      ///< by the engines' offers; 0 where nobody knows
  double host_bytes = 0;            ///< the same of memory
  bool is_light = false;            ///< takes a few seconds of a CPU at the most
  std::optional<bool> on_device{};  ///< where it runs; empty: anywhere
  std::string stage, unit;
  std::uint64_t done = 0, total = 0;
  int percent = 0;
  double stage_began = 0;  ///< on the steady clock
  double rate = 0;
  nlohmann::ordered_json result;      ///< where it went well
  nlohmann::ordered_json problem;     ///< where it did not
  std::vector<ServerFilePtr> opened;  ///< which it reads
};

/// The workers, and the runs that wait for one. One worker beside the others takes what is light,
/// so that a long run of one token does not keep the others from looking at their clouds.
class RunQueue {
 public:
  struct Events {
    std::function<void(Run&)> news;  ///< it began, or is further
    /// What it has written lies in its folder, which is the listener's from now on; a power cut
    /// could still take it away.
    std::function<void(const std::shared_ptr<Run>&)> end;
  };
  RunQueue(boost::asio::io_context& context, const DataFolder& folder, JobMetrics& metrics);
  void start(Events events);
  std::shared_ptr<Run> add(std::string key, std::string owner, nlohmann::ordered_json order,
                           int attempts);
  /// Ends it, in whatever state it is; its end is told as any other.
  void stop(Run& run);
  /// 0 where it runs, from 1 on where it waits: its place among those of its owner, who take turns
  /// with the others.
  std::size_t position_of(const Run& run) const;
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t waiting(std::string_view owner) const;
  std::size_t running() const;
  /// A worker has started, and answers.
  bool ready() const;
  /// A run would begin at once.
  bool idle() const;
  /// More is known of the runs that wait.
  void look_again() { dispatch(); }
  /// No run begins while this holds.
  void hold(bool held) {
    held_ = held;
    dispatch();
  }
  /// No run begins any more.
  void close() { closed_ = true; }
  std::vector<pid_t> processes() const;

 private:
  struct Slot {
    std::string role;
    bool has_gpu = false;
    bool beside = false;  ///< for light runs, while long ones of other tokens are in work
    std::shared_ptr<WorkerLink> link;
    std::shared_ptr<Run> run;
    bool ready = false;
    int failures = 0;  ///< in a row
    std::unique_ptr<boost::asio::steady_timer> timer;
  };

  void start_worker(Slot& slot);
  void start_later(Slot& slot, std::chrono::milliseconds pause);
  void dispatch();
  std::list<std::shared_ptr<Run>>::iterator choose(const Slot& slot);
  bool fits(const Slot& slot, const Run& run) const;
  bool is_for(const Slot& slot, const Run& run) const;
  void on_message(Slot& slot, const nlohmann::ordered_json& json);
  void on_worker_end(Slot& slot, const std::string& why);
  void finish(Slot& slot);

  boost::asio::io_context& context_;
  const DataFolder& folder_;
  JobMetrics& metrics_;
  Events events_;
  std::list<Slot> slots_;
  std::list<std::shared_ptr<Run>> waiting_;
  std::map<std::string, std::uint64_t, std::less<>> turns_;  ///< number of an owner's last run
  std::uint64_t next_turn_ = 1;
  std::uint64_t next_number_ = 1;
  bool closed_ = false, held_ = false;
};

}  // namespace skde::service
