#include "service/jobs/run_board.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "service/answer/http_message.hpp"

namespace skde::service {
namespace {

/// Limits the runs that wait for the disk, as they would pile up if it is slower than the workers.
constexpr std::size_t kMostSyncing = 128;

}  // namespace

void RunBoard::start(StartWorker start_worker,
                     std::function<void(Run&, const RunForecast&)> forecast) {
  queue_.start({[this](Run& run) { on_news(run); }, std::move(forecast),
                [this](Run& run, const auto& told) { return on_stream(run, told); },
                [this](const RunPtr& run) { on_end(run); }, std::move(start_worker)});
}

/// Returns the end if no job waits for exactly this run.
RunBoard::Waiting::iterator RunBoard::find(const Run& run) {
  const auto found = waiting_.find(run.key);
  if (found == waiting_.end() || found->second.run.get() != &run) return waiting_.end();
  return found;
}

std::vector<JobPtr> RunBoard::jobs_of(const Run& run) {
  const auto found = find(run);
  return found == waiting_.end() ? std::vector<JobPtr>() : found->second.jobs;
}

RunPtr RunBoard::await(const JobPtr& job, RunPlan planned) {
  AwaitedRun& awaited = waiting_[planned.key];
  awaited.jobs.push_back(job);
  // The result is in place but not confirmed on the disk, and its files have changed: recompute it.
  if (awaited.result && !results_.trusts(*awaited.result)) {
    awaited.run = nullptr;
    awaited.result = nullptr;
  }
  job->cached = awaited.run && !awaited.run->result.is_null();  // and is being written to the disk
  ++(job->cached ? metrics_.cache_hits : metrics_.cache_misses);
  if (awaited.run) {
    job->run = awaited.run;
    if (job->cached) serve_at_once(awaited);
    return nullptr;
  }
  awaited.run = queue_.add(planned.key, job->owner, std::move(planned.order), job->attempts);
  for (const JobPtr& other : awaited.jobs) other->run = awaited.run;
  awaited.run->opened = std::move(planned.opened);
  return awaited.run;
}

void RunBoard::on_news(Run& run) {
  const auto found = find(run);
  if (found == waiting_.end()) return;
  for (const JobPtr& job : found->second.jobs) {
    const JobState state = run.running ? JobState::running : JobState::accepted;
    const bool changed = job->state != state || job->attempts != run.attempts;
    if (changed) {
      job->state = state;
      job->attempts = run.attempts;
      if (run.running) job->started = now_milliseconds();
      table_.save(*job);
    }
    table_.change(job, changed);
  }
}

void RunBoard::leave(const JobPtr& job) {
  const RunPtr run = job->run;
  if (!run) return;
  std::vector<JobPtr>& jobs = waiting_[run->key].jobs;
  std::erase(jobs, job);
  if (!jobs.empty()) return;
  waiting_.erase(run->key);
  queue_.stop(*run);
}

void RunBoard::read_first(const std::vector<ResultPtr>& results,
                          std::function<void(const std::exception_ptr&)> then) {
  const auto looks = std::make_shared<std::vector<std::string>>();
  run_aside(
      disk_, context_,
      [results, looks] {
        for (const ResultPtr& result : results) looks->push_back(ResultStore::check(*result));
      },
      [this, results, looks, then = std::move(then)](const std::exception_ptr& failure) {
        for (std::size_t i = 0; i < looks->size(); ++i)
          results_.trust(results[i]->key, (*looks)[i]);
        then(failure);
      });
}

/// Returns false if its client has left.
bool RunBoard::on_stream(const Run& run, const nlohmann::ordered_json& told) {
  const std::vector<JobPtr> jobs = jobs_of(run);
  if (jobs.size() != 1 || !jobs[0]->on_stream) return false;
  try {
    jobs[0]->on_stream(folder_.work(run.number), told);
    return true;
  } catch (const Problem&) {
    return false;
  }
}

void RunBoard::on_end(const RunPtr& run) {
  const auto found = find(*run);
  if (found == waiting_.end() || !run->problem.is_null()) return on_synced(run);
  serve_at_once(found->second);
  if (jobs_of(*run).empty()) {  // nobody relies on the disk
    if (!run->order.unkept) keep_result(*run, false);
    return on_synced(run);
  }
  sync(
      run, [folder = folder_.work(run->number)] { sync_folder(folder); },
      [this, run] { put_in_place(run); });
}

/// Waits for the disk on a separate thread; a failure becomes the problem of the run.
void RunBoard::sync(const RunPtr& run, std::function<void()> work, std::function<void()> then) {
  if (++syncing_ >= kMostSyncing) queue_.hold(true);
  run_aside(disk_, context_, std::move(work),
            [this, run, then = std::move(then)](const std::exception_ptr& failure) {
              --syncing_;
              if (failure) run->problem = Problem::of(failure).json();
              then();
              queue_.hold(syncing_ >= kMostSyncing);
            });
}

/// Jobs end once the name of the result is on the disk too.
void RunBoard::put_in_place(const RunPtr& run) {
  const auto found = find(*run);
  if (found == waiting_.end()) return on_synced(run);
  found->second.result = keep_result(*run, true);
  if (!found->second.result) return on_synced(run);
  sync(
      run, [results = folder_.results()] { sync_path(results); }, [this, run] { on_synced(run); });
}

/// A waiting client needs only the bytes; only kept jobs rely on the disk.
void RunBoard::serve_at_once(AwaitedRun& awaited) {
  std::vector<JobPtr> served;
  std::erase_if(awaited.jobs, [&](const JobPtr& job) {
    if (!job->kept) served.push_back(job);
    return !job->kept;
  });
  if (served.empty()) return;
  const Run& run = *awaited.run;
  const ResultPtr written =
      awaited.result ? awaited.result
                     : ResultStore::in_work(folder_.work(run.number), run.key, run.result);
  for (const JobPtr& job : served) {
    job->result = written;
    table_.end(job, JobState::successful);
  }
}

/// Ends the jobs of a run, and removes what is left in the folder of one that failed or is not
/// needed.
void RunBoard::on_synced(const RunPtr& run) {
  const std::string folder = folder_.work(run->number);
  std::error_code ignored;
  if (const auto found = find(*run); found != waiting_.end()) {
    const std::vector<JobPtr> jobs = std::move(found->second.jobs);
    const ResultPtr result = run->problem.is_null() ? found->second.result : nullptr;
    waiting_.erase(found);
    for (const JobPtr& job : jobs) {
      if (result)
        job->result = result;
      else
        job->exception = run->problem;
      table_.end(job, result ? JobState::successful : JobState::failed);
    }
  }
  std::filesystem::remove_all(folder, ignored);
  if (drained_ && !works()) std::exchange(drained_, nullptr)();
}

/// Returns null if the run has no result.
ResultPtr RunBoard::keep_result(Run& run, bool on_disk) {
  if (!run.problem.is_null()) return nullptr;
  if (const auto summary = run.result["values"].find("summary");
      summary != run.result["values"].end() && summary->contains("stages"))
    for (const nlohmann::ordered_json& stage : (*summary)["stages"])
      metrics_.stage_seconds[stage.value("stage", "")] += stage.value("seconds", 0.0);
  try {
    return results_.adopt(folder_.work(run.number), run.key, run.result, on_disk);
  } catch (...) {
    run.problem = Problem::of(std::current_exception()).json();
    return nullptr;
  }
}

void RunBoard::end_waiting() {
  std::vector<JobPtr> told;
  for (auto& [key, awaited] : waiting_) {
    if (!awaited.run || awaited.run->running || !awaited.run->result.is_null()) continue;
    const auto waits_here = [](const JobPtr& job) { return !job->kept || job->on_end; };
    std::ranges::copy_if(awaited.jobs, std::back_inserter(told), waits_here);
    std::erase_if(awaited.jobs, waits_here);
  }
  for (const JobPtr& job : told) {
    job->exception = Problem(503, "busy", "the service is shutting down; try again later").json();
    table_.end(job, JobState::failed);
  }
}

void RunBoard::drain(std::function<void()> drained) {
  queue_.close();
  end_waiting();
  if (!works()) return drained();
  drained_ = std::move(drained);
}

void RunBoard::take_back_attempts() {
  for (auto& [key, awaited] : waiting_) {
    if (!awaited.run) continue;
    const bool in_work = awaited.run->running || !awaited.run->result.is_null();
    if (!in_work) continue;  // it waits, perhaps after a crash
    --awaited.run->attempts;
    for (const JobPtr& job : awaited.jobs) {
      job->attempts = awaited.run->attempts;
      table_.save(*job);
    }
  }
}

}  // namespace skde::service
