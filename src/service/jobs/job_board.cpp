#include "service/jobs/job_board.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <iterator>
#include <utility>

#include "service/store/access_tokens.hpp"
#include "service/store/data_folder.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostAttempts = 3;
/// Limits the total size of a token's unfinished requests, as a multiple of the longest request.
constexpr std::size_t kMostTexts = 64;

}  // namespace

JobBoard::JobBoard(boost::asio::io_context& context, CloudShelf& clouds, ResultStore& results,
                   StorageThread& storage, const ServiceLimits& limits, JobMetrics& metrics)
    : context_(context),
      clouds_(clouds),
      results_(results),
      storage_(storage),
      limits_(limits),
      metrics_(metrics),
      queue_(context, clouds.folder(), metrics, limits.run_seconds) {}

void JobBoard::load(Database& database) {
  for (const JobPtr& job : read_jobs(database)) {
    jobs_[job->id] = job;
    if (!job->ended()) unfinished_.push_back(job);
  }
}

void JobBoard::start(StartWorker start_worker) {
  queue_.start({[this](Run& run) { on_run_news(run); },
                [this](Run& run, const RunForecast& given) { on_run_forecast(run, given); },
                [this](const std::shared_ptr<Run>& run) { on_run_end(run); },
                std::move(start_worker)});
  for (const JobPtr& job : std::exchange(unfinished_, {})) {
    job->state = JobState::accepted;
    try {
      if (job->exception) throw Problem::from_json(*job->exception);
      if (job->attempts >= kMostAttempts)
        throw Problem(500, "crash",
                      fmt::format("the service ended in each of {} attempts", job->attempts));
      attach(job);
    } catch (const Problem&) {
      fail(job, std::current_exception());
    }
  }
}

/// `named` receives the results whose files the run would read.
RunPlan JobBoard::plan(const Job& asking, std::vector<ResultPtr>& named) {
  return plan_run(asking.request, asking.owner, clouds_, [&](const std::string& id) {
    const JobPtr job = at(id);
    if (job->owner != asking.owner) throw not_found("job", id);
    const ResultPtr result = result_of(*job);
    const auto volume = result->files.find("volume");
    if (volume == result->files.end())
      throw Problem(400, "usage", fmt::format("job {} has no volume", id),
                    {"volume", "name a successful job of density"});
    named.push_back(result);
    NamedVolume found{result->key, result->path_of(*volume), (*volume)["file"], {}};
    for (const auto& file : result->files)
      if (file["file"] != found.file) found.beside.push_back(file["file"]);
    return found;
  });
}

/// Also counts requests that are not in the table yet, so that many simultaneous ones are limited
/// too.
void JobBoard::check_limits(const std::string& owner) const {
  const auto of_owner = [&](const auto& jobs) {
    return static_cast<std::size_t>(
        std::ranges::count(jobs, owner, [](const auto& job) { return job->owner; }));
  };
  const std::size_t coming = of_owner(coming_), waiting = of_owner(queue_.waiting()) + coming;
  if (waiting >= limits_.queue)
    throw Problem(
        503, "busy",
        fmt::format("{} runs of this token are already waiting; try again later", waiting))
        .with("Retry-After", "5");
  const auto bytes_of_owner = [&](const auto& jobs) {
    std::size_t sum = 0;
    for (const JobPtr& job : jobs)
      if (job->owner == owner) sum += job->request.bytes;
    return sum;
  };
  std::size_t open = coming, bytes = bytes_of_owner(coming_);
  for (const auto& [key, awaited] : waiting_) {
    open += of_owner(awaited.jobs);
    bytes += bytes_of_owner(awaited.jobs);
  }
  if (bytes > kMostTexts * limits_.json_bytes)
    throw Problem(429, "limit",
                  "the unfinished requests of this token are too large together; try again later")
        .with("Retry-After", "5");
  if (open >= limits_.jobs_a_token)
    throw Problem(
        429, "limit",
        fmt::format("{} jobs of this token have not ended; wait for them, or dismiss them", open))
        .with("Retry-After", "5");
}

/// Gives the job its result, or the run that will compute it.
void JobBoard::attach(const JobPtr& job, const RunForecast* forecast) {
  std::vector<ResultPtr> read;
  RunPlan planned = plan(*job, read);
  job->key = planned.key;
  ResultPtr stored;
  if (!waiting_.contains(planned.key)) stored = results_.find(planned.key, planned.identity);
  if (stored) read.push_back(stored);
  if (attach_once_read(std::move(read), job, forecast)) return;
  std::string().swap(
      job->request.inputs);  // the order has them; an assignment would keep the memory
  if (stored) {
    ++metrics_.cache_hits;
    job->result = std::move(stored);
    job->cached = true;
    return end(job, JobState::successful);
  }
  Awaited& awaited = waiting_[planned.key];
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
    return;
  }
  job->run = awaited.run =
      queue_.add(planned.key, job->owner, std::move(planned.order), job->attempts);
  for (const JobPtr& other : awaited.jobs) other->run = awaited.run;
  job->run->opened = std::move(planned.opened);
  if (forecast)
    job->run->take(*forecast);
  else
    forecast_later(job->run);
}

/// Throws Problem if this owner may have no more of them.
std::shared_ptr<Job> JobBoard::new_job(ExecutionRequest request, const std::string& owner) const {
  check_limits(owner);
  auto job = std::make_shared<Job>();
  job->owner = owner;
  job->request = std::move(request);
  job->process = job->request.process->id;
  job->created = job->updated = now_milliseconds();
  job->revision = static_cast<std::uint64_t>(job->created);
  return job;
}

void JobBoard::submit(ExecutionRequest request, const std::string& owner,
                      std::function<void(std::exception_ptr, const JobPtr&)> accepted) {
  const auto job = new_job(std::move(request), owner);
  job->id = random_name();
  forecast_first(job, [this, job, accepted = std::move(accepted)](const RunForecast& forecast) {
    if (forecast.refusal)
      return accepted(std::make_exception_ptr(Problem::from_json(*forecast.refusal)), job);
    keep_new(job, forecast, accepted);
  });
}

void JobBoard::keep_new(const JobPtr& job, const RunForecast& forecast,
                        std::function<void(std::exception_ptr, const JobPtr&)> accepted) {
  const std::string text = execution_text(job->request);
  Job row = *job;
  row.forget_inputs();
  storage_.post(
      [row = std::move(row), text](Database& database) { insert_job(database, row, text); },
      [this, job, forecast, accepted = std::move(accepted)](const std::exception_ptr& failure) {
        coming_.remove(job);
        if (failure) return accepted(failure, job);
        jobs_[job->id] = job;
        try {
          attach(job, &forecast);
        } catch (const Problem&) {  // something it names has been removed meanwhile
          fail(job, std::current_exception());
        }
        accepted(nullptr, job);
      });
  coming_.push_back(job);
}

JobPtr JobBoard::run_now(ExecutionRequest request, const std::string& owner,
                         std::function<void(Job&)> on_end) {
  const auto job = new_job(std::move(request), owner);
  job->kept = false;
  job->on_end = std::move(on_end);
  forecast_first(job, [this, job](const RunForecast& forecast) {
    if (job->ended()) return;  // its client has left
    try {
      if (forecast.refusal) throw Problem::from_json(*forecast.refusal);
      attach(job, &forecast);
    } catch (...) {
      fail(job, std::current_exception());
    }
    if (queue_.closed()) end_waiting();
  });
  return job;
}

const JobPtr& JobBoard::at(std::string_view id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw not_found("job", id);
  Job& job = *found->second;  // its place changes as other jobs come and end
  if (job.run && !job.ended()) job.position = position_of(queue_.waiting(), *job.run);
  return found->second;
}

void JobBoard::change(const JobPtr& job, bool status) {
  job->position = job->run && !job->ended() ? position_of(queue_.waiting(), *job->run) : 0;
  job->updated = now_milliseconds();
  ++job->revision;
  if (status) job->status_revision = job->revision;
  std::erase_if(job->watchers, [](const auto& watcher) { return watcher.expired(); });
  const auto watchers = job->watchers;
  for (const auto& watcher : watchers)
    if (const auto wake = watcher.lock()) (*wake)();
}

void JobBoard::save(const Job& job) {
  if (!job.kept) return;
  storage_.post([row = job](Database& database) { update_job(database, row); });
}

void JobBoard::fail(const JobPtr& job, const std::exception_ptr& thrown) {
  job->exception = Problem::of(thrown).json();
  end(job, JobState::failed);
}

void JobBoard::end(const JobPtr& job, JobState state) {
  job->state = state;
  job->finished = now_milliseconds();
  job->forget_inputs();
  if (job->run) job->attempts = job->run->attempts;
  job->run = nullptr;
  save(*job);
  job->revision = std::max(job->revision, static_cast<std::uint64_t>(job->finished) - 1);
  change(job, true);
  try {
    if (const auto on_end = std::exchange(job->on_end, nullptr)) on_end(*job);
  } catch (const std::bad_alloc&) {  // its connection ends; the other jobs go on
  }
  if (job->kept) job->result = nullptr;  // it is on the disk
}

/// Returns the jobs that wait for exactly this run; the end if there are none, as for a stopped
/// run.
JobBoard::Waiting::iterator JobBoard::waiting_for(const Run& run) {
  const auto found = waiting_.find(run.key);
  if (found == waiting_.end() || found->second.run.get() != &run) return waiting_.end();
  return found;
}

void JobBoard::on_run_news(Run& run) {
  const auto found = waiting_for(run);
  if (found == waiting_.end()) return;
  for (const JobPtr& job : found->second.jobs) {
    const JobState state = run.running ? JobState::running : JobState::accepted;
    const bool changed = job->state != state || job->attempts != run.attempts;
    if (changed) {
      job->state = state;
      job->attempts = run.attempts;
      if (run.running) job->started = now_milliseconds();
      save(*job);
    }
    change(job, changed);
  }
}

/// Stops the run of a job if no other job waits for its end.
void JobBoard::leave_run(const JobPtr& job) {
  const std::shared_ptr<Run> run = job->run;
  if (!run) return;
  std::vector<JobPtr>& jobs = waiting_[run->key].jobs;
  std::erase(jobs, job);
  if (!jobs.empty()) return;
  waiting_.erase(run->key);
  queue_.stop(*run);
}

void JobBoard::dismiss(const JobPtr& job, StorageThread::Done done) {
  if (job->ended()) {
    jobs_.erase(job->id);
    return storage_.post(
        [id = job->id](Database& database) {
          database.prepare("DELETE FROM jobs WHERE id = ?").bind(1, id).run();
        },
        std::move(done));
  }
  leave_run(job);
  end(job, JobState::dismissed);
  storage_.post([](Database&) {}, std::move(done));  // runs after the writes of end()
}

bool JobBoard::needs_cloud(std::string_view id) const {
  const auto names_it = [&](const JobPtr& job) {
    return std::ranges::any_of(job->request.resources, [&](const auto& named) {
      return named.second.find(id) != std::string::npos;  // one of several, or with a field
    });
  };
  return std::ranges::any_of(coming_, names_it) ||
         std::ranges::any_of(waiting_, [&](const auto& awaited) {
           return std::ranges::any_of(awaited.second.jobs, names_it);
         });
}

/// Ends the jobs of waiting clients whose runs will not begin any more.
void JobBoard::end_waiting() {
  std::vector<JobPtr> told;
  for (auto& [key, awaited] : waiting_) {
    if (!awaited.run || awaited.run->running || !awaited.run->result.is_null()) continue;
    const auto waits_here = [](const JobPtr& job) { return !job->kept || job->on_end; };
    std::ranges::copy_if(awaited.jobs, std::back_inserter(told), waits_here);
    std::erase_if(awaited.jobs, waits_here);
  }
  for (const JobPtr& job : told) {
    job->exception = Problem(503, "busy", "the service is shutting down; try again later").json();
    end(job, JobState::failed);
  }
}

void JobBoard::drain(std::function<void()> drained) {
  queue_.close();
  end_waiting();
  if (!works()) return drained();
  drained_ = std::move(drained);
}

void JobBoard::take_back_attempts() {
  for (auto& [key, awaited] : waiting_) {
    if (!awaited.run) continue;
    const bool in_work = awaited.run->running || !awaited.run->result.is_null();
    if (!in_work) continue;  // it waits, perhaps after a crash
    --awaited.run->attempts;
    for (const JobPtr& job : awaited.jobs) {
      job->attempts = awaited.run->attempts;
      save(*job);
    }
  }
}

}  // namespace skde::service
