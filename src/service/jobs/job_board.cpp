#include "service/jobs/job_board.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/space/grid.hpp"
#include "service/answer/http_message.hpp"
#include "service/store/access_tokens.hpp"
#include "service/store/data_folder.hpp"

namespace skde::service {
namespace {

constexpr int kMostAttempts = 3;
/// Limits the total size of a token's unfinished requests, as a multiple of the longest request.
constexpr std::size_t kMostTexts = 64;

}  // namespace

JobBoard::JobBoard(boost::asio::io_context& context, CloudShelf& clouds, ResultStore& results,
                   StorageThread& storage, const ServiceLimits& limits, JobMetrics& metrics)
    : clouds_(clouds),
      results_(results),
      storage_(storage),
      limits_(limits),
      metrics_(metrics),
      queue_(context, clouds.folder(), metrics, limits.run_seconds),
      table_(storage, queue_),
      runs_(context, clouds.folder(), results, queue_, table_, metrics) {}

void JobBoard::start(StartWorker start_worker) {
  runs_.start(std::move(start_worker),
              [this](Run& run, const RunForecast& given) { on_run_forecast(run, given); });
  std::vector<JobPtr> unfinished;
  for (const auto& [id, job] : table_.all())
    if (!job->ended()) unfinished.push_back(job);
  std::ranges::sort(unfinished, {}, [](const JobPtr& job) { return job->created; });
  for (const JobPtr& job : unfinished) {
    job->state = JobState::accepted;
    try {
      if (job->exception) throw Problem::from_json(*job->exception);
      if (job->attempts >= kMostAttempts)
        throw Problem(500, "crash",
                      fmt::format("the service ended in each of {} attempts", job->attempts));
      attach(job);
    } catch (const Problem&) {
      table_.fail(job, std::current_exception());
    }
  }
}

/// `named` receives the results whose files the run would read.
RunPlan JobBoard::plan(const Job& asking, std::vector<ResultPtr>& named) {
  return plan_run(asking.request, asking.owner, clouds_, [&](const std::string& id) {
    const JobPtr job = table_.at(id);
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

/// Throws Problem if this owner has reached the limit of jobs. Also counts requests that are not in
/// the table yet, so that many simultaneous ones are limited too.
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
  for (const auto& [key, awaited] : runs_.waiting()) {
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
  if (!runs_.waiting().contains(planned.key)) stored = results_.find(planned.key, planned.identity);
  if (stored) read.push_back(stored);
  if (attach_once_read(std::move(read), job, forecast)) return;
  std::string().swap(
      job->request.inputs);  // the order has them; an assignment would keep the memory
  if (stored) {
    ++metrics_.cache_hits;
    job->result = std::move(stored);
    job->cached = true;
    return table_.end(job, JobState::successful);
  }
  const RunPtr run = runs_.await(job, std::move(planned));
  if (!run) return;
  if (forecast && forecast->seconds > 0)
    run->take(*forecast);
  else
    forecast_later(run);
}

/// Returns false if no result needs to be verified before the job can be attached.
bool JobBoard::attach_once_read(std::vector<ResultPtr> results, const JobPtr& job,
                                const RunForecast* forecast) {
  std::erase_if(results,
                [&](const ResultPtr& result) { return results_.trusts(*result, job->kept); });
  if (results.empty()) return false;
  const auto kept = forecast ? std::make_optional(*forecast) : std::nullopt;
  runs_.read_first(results, [this, job, kept](const std::exception_ptr& failure) {
    if (job->ended()) return;  // dismissed meanwhile
    try {
      if (failure) std::rethrow_exception(failure);
      attach(job, kept ? &*kept : nullptr);
    } catch (...) {
      table_.fail(job, std::current_exception());
    }
  });
  return true;
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
    table_.add(job, [this, job, forecast, accepted](const std::exception_ptr& failure) {
      coming_.remove(job);
      if (failure) return accepted(failure, job);
      try {
        attach(job, &forecast);
      } catch (const Problem&) {  // something it names has been removed meanwhile
        table_.fail(job, std::current_exception());
      }
      accepted(nullptr, job);
    });
    coming_.push_back(job);
  });
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
      table_.fail(job, std::current_exception());
    }
    if (queue_.closed()) runs_.end_waiting();
  });
  return job;
}

void JobBoard::find_result(const JobPtr& job, Found found) {
  const ResultPtr result = result_of(*job);
  if (results_.trusts(*result)) return found(result, nullptr);
  runs_.read_first({result}, [this, job, found = std::move(found)](std::exception_ptr failure) {
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

void JobBoard::dismiss(const JobPtr& job, StorageThread::Done done) {
  if (job->ended()) return table_.remove(job, std::move(done));
  runs_.leave(job);
  table_.end(job, JobState::dismissed);
  storage_.post([](Database&) {}, std::move(done));  // runs after the writes of end()
}

bool JobBoard::needs_cloud(std::string_view id) const {
  const auto names_it = [&](const JobPtr& job) {
    return std::ranges::any_of(job->request.resources, [&](const auto& named) {
      return named.second.find(id) != std::string::npos;  // one of several, or with a field
    });
  };
  return std::ranges::any_of(coming_, names_it) ||
         std::ranges::any_of(runs_.waiting(), [&](const auto& awaited) {
           return std::ranges::any_of(awaited.second.jobs, names_it);
         });
}

// Predicts the time and the memory of jobs, and refuses those beyond the limits.

namespace {

/// Returns true if runs of this process can be predicted before they begin.
bool predicts(const Process& process) { return !process.costly_input.empty(); }

/// Suggests how to make such a run smaller.
ErrorAdvice advice_of(const Process& process, bool of_time) {
  const auto& flags = process.flags;
  const bool has_engine = std::ranges::find(flags, "engine", &FieldText::name) != flags.end();
  if (process.costly_input.empty()) return {{}, "use smaller inputs"};
  return {process.costly_input, fmt::format("use smaller `{}`{}", process.costly_input,
                                            of_time && has_engine ? ", or another `engine`" : "")};
}

/// Returns the time that a run of such a process takes by the size of the files of its order.
RunForecast forecast_by_size(const Process& process, const WorkerOrder& order,
                             const DataFolder& folder) {
  constexpr double kLeast = 0.001;
  double bytes = 0;
  for (const auto& [name, path] : order.links) {
    std::error_code missing;
    const auto size =
        std::filesystem::file_size(std::filesystem::path(folder.path()) / path, missing);
    if (!missing) bytes += static_cast<double>(size);
  }
  RunForecast forecast;
  forecast.seconds = kLeast + bytes / process.rate;
  return forecast;
}

/// Sets the refusal if a run of this process can never succeed here: because it refuses itself, or
/// because its result or its time is beyond the limits. The refusal gives the numbers.
/// `most_bytes`: those that its result may have.
RunForecast judged(RunForecast forecast, const Process& process, const ServiceLimits& limits,
                   const DataFolder& folder, std::uint64_t most_bytes) {
  if (forecast.refusal) return forecast;
  std::error_code unknown;
  const auto disk = std::filesystem::space(folder.path(), unknown);
  const double bytes = forecast.result_bytes, room = static_cast<double>(disk.available),
               most = static_cast<double>(most_bytes);
  const auto refuse = [&](unsigned status, const char* kind, const std::string& why, bool of_time) {
    forecast.refusal = Problem(status, kind, why, advice_of(process, of_time)).json();
  };
  if (bytes > most)
    refuse(413, "resources",
           fmt::format("a result of {} exceeds the limit of {} on all results of this token",
                       format_bytes(bytes), format_bytes(most)),
           false);
  else if (!unknown && bytes > room)
    refuse(507, "disk",
           fmt::format("a result of {} does not fit on the disk, which has {} free",
                       format_bytes(bytes), format_bytes(room)),
           false);
  else if (forecast.seconds > limits.run_seconds)
    refuse(413, "resources",
           fmt::format("this would take about {:.3g} s, and the limit of a run is {:.3g} s",
                       forecast.seconds, limits.run_seconds),
           true);
  return forecast;
}

/// Returns true if the answer holds the bytes of a file in JSON. Jobs send links by default.
bool embeds_a_file(const Job& job) {
  const auto& files = job.request.process->files;
  return job.request.response == ResponseForm::document &&
         std::ranges::any_of(job.request.outputs, [&](const WantedOutput& output) {
           return !output.by_reference.value_or(job.kept) &&
                  std::ranges::find(files, output.name, &cli::FileOutput::name) != files.end();
         });
}

}  // namespace

void Run::take(const RunForecast& forecast) {
  constexpr double kMostLight = 2;  // in seconds
  expected_seconds = forecast.seconds;
  host_bytes = forecast.host_bytes;
  if (forecast.seconds > 0) on_device = forecast.on_device;
  is_light = forecast.seconds > 0 && forecast.seconds < kMostLight && !forecast.on_device;
}

/// Sets the refusal of a forecast that is beyond the limits of the job.
RunForecast JobBoard::judge(const RunForecast& given, const Job& job) const {
  RunForecast forecast = judged(given, *job.request.process, limits_, clouds_.folder(),
                                results_.most_bytes(job.owner));
  const auto most = static_cast<double>(kMostEmbedded);
  if (!forecast.refusal && forecast.result_bytes > most && embeds_a_file(job))
    forecast.refusal = too_large_for_json(forecast.result_bytes).json();
  return forecast;
}

/// Predicts what a new job needs before it is accepted or begins. The worker itself does so if a
/// client waits and the run begins soon. Throws Problem if it names something that does not
/// exist.
void JobBoard::forecast_first(const JobPtr& job, TakeForecast then) {
  const Process& process = *job->request.process;
  if (!job->kept && predicts(process) && queue_.is_brisk()) return then({});
  std::vector<ResultPtr> named;
  const RunPlan planned = plan(*job, named);
  job->key = planned.key;
  const bool is_in_work = !job->kept && runs_.waiting().contains(planned.key);
  if (is_in_work || results_.find(planned.key, planned.identity)) return then({});
  if (!predicts(process))
    return then(judge(forecast_by_size(process, planned.order, clouds_.folder()), *job));
  queue_.predict(planned.order, [this, job, opened = planned.opened,
                                 then = std::move(then)](const RunForecast& given) {
    coming_.remove(job);
    then(judge(given, *job));
  });
  coming_.push_back(job);
}

/// Predicts what a run needs that was attached without a forecast, unless it begins soon.
void JobBoard::forecast_later(const RunPtr& run) {
  const Process& process = process_named(run->order.process);
  if (!predicts(process)) return run->take(forecast_by_size(process, run->order, clouds_.folder()));
  queue_.predict_if_waiting(run, [this, run](const RunForecast& given) {
    if (!run->running) on_run_forecast(*run, given);
    queue_.dispatch();
  });
}

/// Ends the jobs whose limits the run exceeds.
void JobBoard::on_run_forecast(Run& run, const RunForecast& given) {
  run.take(given);
  for (const JobPtr& job : runs_.jobs_of(run)) {
    const RunForecast forecast = judge(given, *job);
    if (!forecast.refusal) continue;
    job->exception = *forecast.refusal;
    runs_.leave(job);
    table_.end(job, JobState::failed);
  }
}

}  // namespace skde::service
