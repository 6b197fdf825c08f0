#include "bench/measure/engine_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "bench/measure/stage_work.hpp"
#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "engines/registry.hpp"

namespace skde::bench {
namespace {

/// Cancels a run that takes longer than it may, beside what the user cancels.
class Deadline final : public Progress {
 public:
  Deadline(const Progress& user, double seconds) : user_(user), seconds_(seconds) {}

  void restart() { running_ = {}; }
  bool passed() const { return running_.seconds() > seconds_; }
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return user_.cancelled() || passed(); }

 private:
  const Progress& user_;
  double seconds_;
  StopWatch running_;
};

struct TimedRun {
  double seconds = 0;
  StageTimes stages;
};

/// An engine on a case, and the buffer that all of its runs share.
class EngineRuns {
 public:
  EngineRuns(std::unique_ptr<Engine> engine, const BenchmarkInput& input, Deadline& deadline)
      : engine_(std::move(engine)), input_(input), deadline_(deadline) {}

  /// Loads these samples unless they are the loaded ones, and makes ready to run, untimed.
  void load(const PointsView& points) {
    if (points.xyz.data() != loaded_.xyz.data() || points.size() != loaded_.size()) {
      engine_->load(points);
      loaded_ = points;
    }
    engine_->prepare(input_.problem);
    if (!buffer_) buffer_ = engine_->make_buffer();
  }
  TimedRun run() {
    deadline_.restart();
    const StopWatch watch;
    TimedRun timed{0, engine_->prepare(input_.problem)};
    buffer_->clear();
    for (StageTime& stage : engine_->run(*buffer_, deadline_))
      timed.stages.push_back(std::move(stage));
    timed.seconds = watch.seconds();
    return timed;
  }
  Volume take_volume() {
    Volume volume = buffer_->take_volume();
    buffer_.reset();
    return volume;
  }
  const Engine& engine() const { return *engine_; }

 private:
  std::unique_ptr<Engine> engine_;
  const BenchmarkInput& input_;
  Deadline& deadline_;
  PointsView loaded_;
  std::unique_ptr<DensityBuffer> buffer_;
};

/// Seconds that a run over all samples will take: the first samples are run, eight times as many
/// each time, until they take long enough to tell, also on a busy machine.
double predicted_run_seconds(EngineRuns& runs, const PointsView& points, double max_seconds) {
  runs.load(points.slice(0, 1));
  runs.run();  // starts what is started once
  const double least = runs.run().seconds;
  const double enough = std::max(least / 4, std::min(0.25, max_seconds / 20));
  double predicted = least;
  for (std::size_t count = 8; count < points.size(); count *= 8) {
    runs.load(points.slice(0, count));
    double more = runs.run().seconds - least;
    if (more > enough) more = std::min(more, runs.run().seconds - least);
    predicted = least + std::max(more, 0.0) * static_cast<double>(points.size()) /
                            static_cast<double>(count);
    if (more > enough) break;
  }
  return predicted;
}

/// Why no engine of that name runs here.
std::optional<Refusal> unavailable(const std::string& name, const EngineOptions& options) {
  for (const EngineEntry& entry : engine_table()) {
    if (entry.traits.name != name) continue;
    if (std::string why = entry.unavailable(); !why.empty())
      return Refusal{Status::skipped, std::move(why)};
    if (options.precision == Precision::f64 && entry.traits.error_f64 == 0)
      return Refusal{Status::skipped, "computes in f32 only"};
  }
  return {};
}

/// Why the case is too large for the engine.
std::optional<Refusal> too_large(const Engine& engine, const BenchmarkInput& input,
                                 Precision precision) {
  const std::int64_t room = engine.volume_capacity(static_cast<std::int64_t>(input.wanted.samples));
  const std::int64_t bytes = input.problem.grid.bytes(precision);
  if (bytes <= room) return {};
  return Refusal{Status::skipped,
                 fmt::format("the samples and a volume of {} do not fit in the GPU's memory",
                             format_bytes(static_cast<double>(bytes)))};
}

void keep_repetition(Result& result, const TimedRun& run, const BenchmarkInput& input,
                     Precision precision, const Engine& engine) {
  const bool fastest =
      result.seconds.empty() || run.seconds < *std::ranges::min_element(result.seconds);
  result.seconds.push_back(run.seconds);
  if (!fastest) return;
  result.stages = stage_records(run.seconds, run.stages, engine.traits(), input, precision);
  result.policy = engine.launch_policy();
}

/// Warms up, checks and measures; the refusal where something is in the way.
std::optional<Refusal> fill_times(Result& result, EngineRuns& runs, const BenchmarkInput& input,
                                  const MeasurementSettings& settings, CaseCheck& check,
                                  Progress& user) {
  const double predicted =
      predicted_run_seconds(runs, input.clouds.front().view(), settings.max_seconds);
  if (predicted > settings.max_seconds) return too_long(predicted, settings.max_seconds);
  runs.load(input.clouds.front().view());
  runs.run();
  const CaseCheck::Verdict verdict = check.judge(result.method, runs.take_volume(), user);
  if (std::isfinite(verdict.error)) result.error = verdict.error;
  if (!verdict.complaint.empty()) return Refusal{Status::wrong, verdict.complaint};
  for (int k = 1 - result.warmups; k < settings.repetitions; ++k) {
    const auto which = static_cast<std::size_t>(k + result.warmups) % input.clouds.size();
    user.update(0);  // between the runs, where it disturbs no time
    runs.load(input.clouds[which].view());
    const TimedRun run = runs.run();
    if (k >= 0) keep_repetition(result, run, input, settings.options.precision, runs.engine());
  }
  return {};
}

}  // namespace

Result measure_engine(const std::string& name, const BenchmarkInput& input,
                      std::string_view experiment, const MeasurementSettings& settings,
                      CaseCheck& check, Progress& progress) {
  Result result = blank_result(input, experiment, name, settings.options.precision);
  const bool cuda = result.device == "cuda";
  result.warmups = std::max(1, cuda ? settings.cuda_warmups : settings.warmups);
  Deadline deadline(progress, settings.max_seconds);
  try {
    std::optional<Refusal> refusal = unavailable(name, settings.options);
    if (!refusal) {
      std::unique_ptr<Engine> engine = make_engine(name, settings.options);
      refusal = too_large(*engine, input, settings.options.precision);
      EngineRuns runs(std::move(engine), input, deadline);
      result.automatic =
          name == choice_for(input, settings.options, cuda ? Device::cuda : Device::cpu);
      if (!refusal) refusal = fill_times(result, runs, input, settings, check, progress);
    }
    if (refusal) refuse(result, std::move(*refusal));
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    if (error.kind() == ErrorKind::cancelled)
      refuse(result, took_too_long(settings.max_seconds));
    else
      // What an engine does not serve it says as an error of usage.
      refuse(result, {error.kind() == ErrorKind::unsupported ? Status::skipped : Status::failed,
                      error.what()});
  } catch (const std::bad_alloc&) {
    refuse(result, {Status::failed, "out of memory"});
  }
  return result;
}

double empty_run_seconds(const std::string& name, const EngineOptions& options) {
  constexpr int kRuns = 20;
  BenchmarkCase least;
  least.samples = 1000;
  least.cells = 8;
  least.inputs = 1;
  const BenchmarkInput input = make_input(least);
  const NoProgress silent;
  Deadline deadline(silent, 60);
  EngineRuns runs(make_engine(name, options), input, deadline);
  runs.load(input.clouds.front().view().slice(0, 1));
  double seconds = runs.run().seconds;
  for (int k = 0; k < kRuns; ++k) seconds = std::min(seconds, runs.run().seconds);
  return seconds;
}

}  // namespace skde::bench
