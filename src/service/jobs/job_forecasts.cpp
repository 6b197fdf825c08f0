#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/space/grid.hpp"
#include "service/answer/http_problem.hpp"
#include "service/jobs/job_board.hpp"

namespace skde::service {

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
