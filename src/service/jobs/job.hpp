#pragma once

#include <functional>
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
std::string_view state_name(JobState state);

/// What a client asked for once.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct Job {
  std::string id, owner;
  std::string process;       ///< its ID
  ExecutionRequest request;  ///< without a process, and outputs, where this version cannot read it
  JobState state = JobState::accepted;
  bool kept = true;  ///< in the table; false: somebody waits for it
  bool cached = false;
  int attempts = 0;
  std::int64_t created = 0, started = 0, finished = 0, updated = 0;
  std::string key;  ///< of its result
  std::optional<nlohmann::ordered_json> exception;
  std::shared_ptr<Run> run;  ///< that it waits for; null once it has ended
  ResultPtr result;
  std::size_t position = 0;  ///< in the queue; 0 where it runs
  /// Each change has a greater one, also behind a restart: they begin with the time, in ms since
  /// 1970, and a job changes less often.
  std::uint64_t revision = 1, status_revision = 1;
  std::vector<std::weak_ptr<std::function<void()>>> watchers;
  std::function<void(Job&)> on_end;

  bool ended() const { return state > JobState::running; }
  /// Nobody asks an ended job what it was made of; inputs may be a megabyte of JSON.
  void forget_inputs();
  /// As OGC API - Processes has it, with the stage beside it.
  nlohmann::ordered_json status() const;
  /// The same on one line, made once for all who watch.
  std::shared_ptr<const std::string> status_text();

 private:
  std::shared_ptr<const std::string> text_;
  std::uint64_t text_revision_ = 0;
};
using JobPtr = std::shared_ptr<Job>;

// The rows of the table of jobs.
void insert_job(Database& database, const Job& job, const std::string& request);
void update_job(Database& database, const Job& job);
/// Those whose request this version cannot read have an exception that says so, unless they were
/// successful.
std::vector<JobPtr> read_jobs(Database& database);

}  // namespace skde::service
