#pragma once

#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs/execution_request.hpp"
#include "service/jobs/run_queue.hpp"
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

}  // namespace skde::service
