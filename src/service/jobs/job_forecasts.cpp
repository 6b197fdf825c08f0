#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "service/jobs/admission.hpp"
#include "service/jobs/job_board.hpp"

namespace skde::service {

// Predicts the time and the memory of jobs, and refuses those beyond the limits.

namespace {

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
/// client waits and the run begins at once. Throws Problem if it names something that does not
/// exist.
void JobBoard::forecast_first(const JobPtr& job, Forecast then) {
  std::vector<ResultPtr> named;
  const RunPlan planned = plan(*job, named);
  job->key = planned.key;
  const Process& process = *job->request.process;
  const bool is_in_work = !job->kept && waiting_.contains(planned.key);
  if (is_in_work || results_.find(planned.key, planned.identity)) return then({});
  if (!predicts(process))
    return then(judge(forecast_by_size(process, planned.order, clouds_.folder()), *job));
  if (!job->kept && queue_.idle()) return then({});
  planner_.ask(planned.order, [this, job, opened = planned.opened,
                               then = std::move(then)](const RunForecast& given) {
    coming_.remove(job);
    then(judge(given, *job));
  });
  coming_.push_back(job);
}

/// Predicts what a run needs that an earlier service has accepted.
void JobBoard::forecast_later(const std::shared_ptr<Run>& run) {
  const Process& process = process_named(run->order["process"].get<std::string>());
  if (!predicts(process)) return run->take(forecast_by_size(process, run->order, clouds_.folder()));
  planner_.ask(run->order, [this, run](const RunForecast& given) {
    if (!run->running) on_run_forecast(*run, given);
    queue_.look_again();
  });
}

/// Ends the jobs whose limits the run exceeds.
void JobBoard::on_run_forecast(Run& run, const RunForecast& given) {
  run.take(given);
  const auto found = waiting_for(run);
  if (found == waiting_.end()) return;
  for (const JobPtr& job : std::vector(found->second.jobs)) {
    const RunForecast forecast = judge(given, *job);
    if (!forecast.refusal) continue;
    job->exception = *forecast.refusal;
    leave_run(job);
    end(job, JobState::failed);
  }
}

}  // namespace skde::service
