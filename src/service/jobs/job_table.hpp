#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs/execution_request.hpp"
#include "service/jobs/run_queue.hpp"
#include "service/store/database.hpp"
#include "service/store/result_store.hpp"

namespace skde::service {

enum class JobState { accepted, running, successful, failed, dismissed };
inline constexpr std::array kJobStates{JobState::accepted, JobState::running, JobState::successful,
                                       JobState::failed, JobState::dismissed};
std::string_view state_name(JobState state);

/// A job that a client has asked for.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct Job {
  std::string id, owner;
  std::string process;       ///< its ID
  ExecutionRequest request;  ///< without process and outputs if this version cannot read it
  JobState state = JobState::accepted;
  bool kept = true;  ///< in the table; false: a client waits for it
  bool cached = false;
  int attempts = 0;
  std::int64_t created = 0, started = 0, finished = 0, updated = 0;
  std::string key;  ///< of its result
  std::optional<nlohmann::ordered_json> exception;
  std::shared_ptr<Run> run;  ///< that it waits for; null once it has ended
  ResultPtr result;
  std::size_t position = 0;  ///< in the queue; 0 if it runs
  /// Increase with each change, also after a restart: they begin with the time in ms since 1970,
  /// and a job changes less often than that.
  std::uint64_t revision = 1, status_revision = 1;
  std::vector<std::weak_ptr<std::function<void()>>> watchers;
  std::function<void(Job&)> on_end;
  /// Takes a result that is sent while it is written: from the folder of the run, with what the
  /// worker told of it. Throws Problem.
  std::function<void(const std::string& folder, const nlohmann::ordered_json& told)> on_stream;

  bool ended() const { return state > JobState::running; }
  /// Frees the inputs of an ended job, which may be a megabyte of JSON and are not needed again.
  void forget_inputs();
  /// Returns the status as OGC API - Processes defines it, with the stage added.
  nlohmann::ordered_json status() const;
  /// Returns the status on one line, made once for all watchers.
  std::shared_ptr<const std::string> status_text();

 private:
  std::shared_ptr<const std::string> text_;
  std::uint64_t text_revision_ = 0;
};
using JobPtr = std::shared_ptr<Job>;

/// The jobs that clients see, and the table that stores them.
class JobTable {
 public:
  JobTable(StorageThread& storage, const RunQueue& queue) : storage_(storage), queue_(queue) {}
  /// Reads the table. A job whose request this version cannot read gets an exception that says so,
  /// unless it was successful.
  void load(Database& database);
  const std::map<std::string, JobPtr, std::less<>>& all() const { return jobs_; }
  /// Throws Problem (404).
  const JobPtr& at(std::string_view id);
  /// Calls `added` once a new job is in the table.
  void add(const JobPtr& job, StorageThread::Done added);
  /// Removes a job that has ended; calls `done` once the table is written.
  void remove(const JobPtr& job, StorageThread::Done done);
  /// Writes the state of a job to the table, unless only a waiting client knows it.
  void save(const Job& job);
  /// Tells those who watch a job of a change; `status`: not only of its progress.
  void change(const JobPtr& job, bool status);
  void end(const JobPtr& job, JobState state);
  void fail(const JobPtr& job, const std::exception_ptr& thrown);

 private:
  StorageThread& storage_;
  const RunQueue& queue_;
  std::map<std::string, JobPtr, std::less<>> jobs_;
};

}  // namespace skde::service
