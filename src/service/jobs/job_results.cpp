#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <utility>

#include "service/jobs/job_board.hpp"
#include "service/store/data_folder.hpp"

namespace skde::service {

// How jobs get their results: existing ones, and those that runs write.

namespace {

/// Limits the runs that wait for the disk, as they would pile up if it is slower than the workers.
constexpr std::size_t kMostSyncing = 128;

}  // namespace

/// Returns false if no result needs to be verified before the job can be attached.
bool JobBoard::attach_once_read(std::vector<ResultPtr> results, const JobPtr& job,
                                const RunForecast* forecast) {
  std::erase_if(results, [&](const ResultPtr& result) { return results_.trusts(*result); });
  if (results.empty()) return false;
  const auto kept = forecast ? std::make_optional(*forecast) : std::nullopt;
  read_first(std::move(results), [this, job, kept](const std::exception_ptr& failure) {
    if (job->ended()) return;  // dismissed meanwhile
    try {
      if (failure) std::rethrow_exception(failure);
      attach(job, kept ? &*kept : nullptr);
    } catch (...) {
      fail(job, std::current_exception());
    }
  });
  return true;
}

/// Verifies results that an earlier service has written, or that have been changed, by reading them
/// once. Runs on a thread that may wait for the disk.
void JobBoard::read_first(std::vector<ResultPtr> results,
                          std::function<void(const std::exception_ptr&)> then) {
  boost::asio::post(disk_, [this, results = std::move(results), then = std::move(then)]() mutable {
    std::exception_ptr failure;
    std::vector<std::pair<std::string, std::string>> looks;
    try {
      for (const ResultPtr& result : results)
        looks.emplace_back(result->key, ResultStore::check(*result));
    } catch (...) {
      failure = std::current_exception();
    }
    boost::asio::post(context_, [this, failure, looks = std::move(looks), then = std::move(then)] {
      for (const auto& [key, look] : looks) results_.trust(key, look);
      then(failure);
    });
  });
}

void JobBoard::find_result(const JobPtr& job, Found found) {
  const ResultPtr result = result_of(*job);
  if (results_.trusts(*result)) return found(result, nullptr);
  read_first({result}, [this, job, found = std::move(found)](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
      return found(result_of(*job), nullptr);
    } catch (...) {
      failure = std::current_exception();
    }
    found(nullptr, failure);
  });
}

/// Returns a result whose files may not have been verified yet. Throws Problem.
ResultPtr JobBoard::result_of(const Job& job) {
  if (job.state == JobState::failed && job.exception) throw Problem::from_json(*job.exception);
  if (job.state == JobState::dismissed)
    throw Problem(410, "cancelled", fmt::format("job {} was dismissed", job.id));
  if (!job.ended())
    throw Problem(404, "not-found", fmt::format("job {} has no results yet", job.id))
        .as("result-not-ready");
  if (ResultPtr result = results_.find(job.key)) return result;
  throw Problem(410, "not-found", fmt::format("the results of job {} have expired", job.id));
}

void JobBoard::on_run_end(const std::shared_ptr<Run>& run) {
  const auto found = waiting_for(*run);
  if (found == waiting_.end() || !run->problem.is_null()) return on_synced(run);
  serve_at_once(found->second);
  sync(
      run, [folder = clouds_.folder().work(run->number)] { sync_folder(folder); },
      [this, run] { put_in_place(run); });
}

/// Waits for the disk on a separate thread; a failure becomes the problem of the run.
void JobBoard::sync(const std::shared_ptr<Run>& run, std::function<void()> work,
                    std::function<void()> then) {
  if (++syncing_ >= kMostSyncing) queue_.hold(true);
  boost::asio::post(disk_, [this, run, work = std::move(work), then = std::move(then)]() mutable {
    nlohmann::ordered_json problem;
    try {
      work();
    } catch (...) {
      problem = Problem::of(std::current_exception()).json();
    }
    boost::asio::post(context_, [this, run, problem = std::move(problem), then = std::move(then)] {
      --syncing_;
      run->problem = problem;
      then();
      queue_.hold(syncing_ >= kMostSyncing);
    });
  });
}

/// Jobs end once the name of the result is on the disk too.
void JobBoard::put_in_place(const std::shared_ptr<Run>& run) {
  const auto found = waiting_for(*run);
  if (found == waiting_.end()) return on_synced(run);
  found->second.result = keep_result(*run, clouds_.folder().work(run->number));
  if (!found->second.result) return on_synced(run);
  sync(
      run, [results = clouds_.folder().results()] { sync_path(results); },
      [this, run] { on_synced(run); });
}

/// A waiting client needs only the bytes; only kept jobs rely on the disk.
void JobBoard::serve_at_once(Awaited& awaited) {
  std::vector<JobPtr> served;
  std::erase_if(awaited.jobs, [&](const JobPtr& job) {
    if (!job->kept) served.push_back(job);
    return !job->kept;
  });
  if (served.empty()) return;
  const Run& run = *awaited.run;
  const ResultPtr written =
      awaited.result ? awaited.result
                     : ResultStore::in_work(clouds_.folder().work(run.number), run.key, run.result);
  for (const JobPtr& job : served) {
    job->result = written;
    end(job, JobState::successful);
  }
}

/// Ends the jobs of a run, and removes what is left in the folder of one that failed or is not
/// needed.
void JobBoard::on_synced(const std::shared_ptr<Run>& run) {
  const std::string folder = clouds_.folder().work(run->number);
  std::error_code ignored;
  if (const auto found = waiting_for(*run); found != waiting_.end()) {
    const std::vector<JobPtr> jobs = std::move(found->second.jobs);
    const ResultPtr result = run->problem.is_null() ? found->second.result : nullptr;
    waiting_.erase(found);
    for (const JobPtr& job : jobs) {
      if (result)
        job->result = result;
      else
        job->exception = run->problem;
      end(job, result ? JobState::successful : JobState::failed);
    }
  }
  std::filesystem::remove_all(folder, ignored);
  if (drained_ && !works()) std::exchange(drained_, nullptr)();
}

/// Returns null if the run has no result.
ResultPtr JobBoard::keep_result(Run& run, const std::string& folder) {
  if (!run.problem.is_null()) return nullptr;
  if (const auto summary = run.result["values"].find("summary");
      summary != run.result["values"].end() && summary->contains("stages"))
    for (const nlohmann::ordered_json& stage : (*summary)["stages"])
      metrics_.stage_seconds[stage.value("stage", "")] += stage.value("seconds", 0.0);
  try {
    return results_.adopt(folder, run.key, run.result);
  } catch (...) {
    run.problem = Problem::of(std::current_exception()).json();
    return nullptr;
  }
}

}  // namespace skde::service
