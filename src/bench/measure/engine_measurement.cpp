#include "bench/measure/engine_measurement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/memory_plan.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

/// Returns false for the uniform kernel. It jumps, so cells at its edge rightly differ.
bool comparable_at_all_cells(const BenchmarkInput& input) {
  return input.kernel.function != KernelFunction::uniform;
}

std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.2g} of the peak", share) : "values not finite";
}

/// Cancels a run that exceeds its time limit, or if the user cancels.
class Deadline final : public Progress {
 public:
  Deadline(const Progress& user, double seconds) : user_(user), seconds_(seconds) {}

  void restart() { running_ = {}; }
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return user_.cancelled() || running_.seconds() > seconds_; }

 private:
  const Progress& user_;
  double seconds_;
  StopWatch running_;
};

/// Throws if the volume needs several slabs, because then another method would be measured.
void require_one_slab(const MemoryPlan& plan) {
  if (plan.is_whole()) return;
  throw Error(ErrorKind::resources,
              fmt::format("the samples and a volume of {} do not fit into memory at once",
                          format_bytes(static_cast<double>(plan.volume_bytes))),
              {"memory_limit", "use fewer samples or cells"});
}

/// An engine's densities of a case, in one session.
class SessionRuns {
 public:
  SessionRuns(const std::string& engine, DensityRequest request, Deadline& deadline)
      : session_({.resident = true}), request_(std::move(request)), deadline_(deadline) {
    request_.engine = engine;
  }

  void open(const SamplesView& points) { session_.open(points); }
  /// Returns the plan that names no engine.
  DensityPlan automatic_plan() {
    DensityRequest request = request_;
    request.engine.clear();
    return session_.plan(request, deadline_);
  }
  Density run() {
    deadline_.restart();
    const DensityPlan plan = session_.plan(request_, deadline_, {.runs = true});
    require_one_slab(plan.memory);
    return session_.compute(plan, deadline_);
  }

 private:
  Session session_;
  DensityRequest request_;
  Deadline& deadline_;
};

void keep_repetition(Result& result, const DensityFacts& facts, const BenchmarkInput& input,
                     const Engine& engine) {
  const bool fastest =
      result.seconds.empty() || facts.run_seconds < *std::ranges::min_element(result.seconds);
  result.seconds.push_back(facts.run_seconds);
  if (!fastest) return;
  result.stages =
      stage_records(facts.run_seconds, facts.run_stages, engine, input, facts.precision);
  result.policy = facts.launch_policy;
}

/// Warms up, checks and measures. Returns a refusal if the engine cannot be measured.
std::optional<Refusal> fill_times(Result& result, SessionRuns& runs, const BenchmarkInput& input,
                                  const MeasurementSettings& settings, CaseCheck& check,
                                  Progress& user) {
  const auto engine = make_engine(result.method, settings.options);  // only for its performance
                                                                     // model
  runs.open(input.clouds.front().view());
  const DensityPlan plan = runs.automatic_plan();
  const Offer& offer = offer_of(plan.offers, result.method).offer;
  result.automatic = result.method == plan.engine;
  if (!offer.serves()) return Refusal{Status::skipped, offer.refusal};
  if (offer.seconds.run > settings.max_seconds)
    return too_long(offer.seconds.run, settings.max_seconds);
  const CaseCheck::Verdict verdict = check.judge(result.method, runs.run().take_volume(), user);
  if (std::isfinite(verdict.error)) result.error = verdict.error;
  if (!verdict.complaint.empty()) return Refusal{Status::wrong, verdict.complaint};
  for (int k = 1 - result.warmups; k < settings.repetitions; ++k) {
    const auto which = static_cast<std::size_t>(k + result.warmups) % input.clouds.size();
    user.update(0);  // between the runs, where it affects no time
    runs.open(input.clouds[which].view());
    const DensityFacts facts = runs.run().facts();
    if (k >= 0) keep_repetition(result, facts, input, *engine);
  }
  return {};
}

/// Skips what an engine does not serve or has no room for; other errors are failures.
Refusal refusal_of(const Error& error) {
  const bool no_room =
      error.kind() == ErrorKind::resources &&
      (error.parameter() == "memory_limit" || error.parameter() == "device_memory");
  const bool skipped = no_room || error.kind() == ErrorKind::unsupported;
  return {skipped ? Status::skipped : Status::failed, error.what()};
}

}  // namespace

CaseCheck::Verdict CaseCheck::judge(const std::string& method, Volume volume,
                                    const Progress& progress) {
  Verdict verdict;
  verdict.error = largest_error(volume, reference_for(volume, progress));
  if (!(verdict.error <= kLargestError + input_.wanted.tolerance)) {
    verdict.complaint = fmt::format("off the reference by {}", share_text(verdict.error));
    return verdict;
  }
  if (!witness_) {
    witness_ = std::move(volume);
    witness_method_ = method;
    return verdict;
  }
  if (!comparable_at_all_cells(input_)) return verdict;
  const double difference = largest_difference(volume, *witness_);
  if (!(difference <= kLargestError + 2 * input_.wanted.tolerance))
    verdict.complaint = fmt::format("off {} by {}", witness_method_, share_text(difference));
  return verdict;
}

double CaseCheck::error_of(const Volume& volume, const Progress& progress) {
  const double error = largest_error(volume, reference_for(volume, progress));
  if (!witness_ || !comparable_at_all_cells(input_)) return error;
  return std::max(error, largest_difference(volume, *witness_));
}

const ReferenceCells& CaseCheck::reference_for(const Volume& volume, const Progress& progress) {
  const SamplesView points = input_.clouds.front().view();
  if (!reference_)
    reference_ =
        make_reference_cells(points, input_.problem(volume.precision()),
                             choose_cells(points, volume, cells_, input_.wanted.seed), progress);
  return *reference_;
}

std::size_t checked_cells(std::uint64_t samples) {
  constexpr double kEvaluations = 5e8;
  return static_cast<std::size_t>(
      std::clamp(kEvaluations / static_cast<double>(samples), 16.0, 500.0));
}

std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const Engine& engine, const BenchmarkInput& input,
                                       Precision precision) {
  const Problem problem = input.problem(precision);
  const RunWork work{static_cast<double>(input.wanted.samples), input.wanted.weighted, input.work};
  const bool own_kernels = input.wanted.widths != CaseWidths::none;  // their work is not counted
  std::vector<StageRecord> records;
  double named = 0;
  for (const StageTime& stage : stages) {
    named += stage.seconds;
    StageRecord record{stage.stage, stage.seconds, {}, {}, ""};
    const auto model = own_kernels ? std::nullopt : engine.stage_work(stage.stage, problem, work);
    if (model) {
      record.bytes = model->bytes;
      record.operations = model->operations;
      record.ceiling = model->ceiling;
    }
    records.push_back(std::move(record));
  }
  const auto zeroed = static_cast<double>(problem.grid().bytes(precision));
  records.push_back({std::string(kRestStage), std::max(0.0, seconds - named), zeroed, {}, ""});
  return records;
}

Result measure_engine(const std::string& name, const BenchmarkInput& input,
                      std::string_view experiment, const MeasurementSettings& settings,
                      CaseCheck& check, Progress& progress) {
  Result result = blank_result(input, experiment, name, settings.precision);
  const bool cuda = result.device == "cuda";
  result.warmups = std::max(1, cuda ? settings.cuda_warmups : settings.warmups);
  Deadline deadline(progress, settings.max_seconds);
  try {
    const std::string why = engine_entry(name).unavailable();
    if (!why.empty()) {
      refuse(result, {Status::skipped, why});
      return result;
    }
    DensityRequest request = input.request();
    request.precision = settings.precision;
    request.options = settings.options;
    request.device = cuda ? Device::cuda : Device::cpu;  // the automatic choice is limited to this
                                                         // device
    SessionRuns runs(name, std::move(request), deadline);
    if (auto refusal = fill_times(result, runs, input, settings, check, progress))
      refuse(result, std::move(*refusal));
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    refuse(result, error.kind() == ErrorKind::cancelled ? took_too_long(settings.max_seconds)
                                                        : refusal_of(error));
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
  if (engine_entry(name).traits.approximates) {  // it refuses bounded or narrow kernels
    least.kernel = KernelFunction::gaussian;
    least.h = 4;
  }
  const BenchmarkInput input = make_input(least);
  const NoProgress silent;
  Deadline deadline(silent, 60);
  DensityRequest request = input.request();
  request.options = options;
  SessionRuns runs(name, std::move(request), deadline);
  runs.open(input.clouds.front().view().slice(0, 1));
  double seconds = runs.run().facts().run_seconds;
  for (int k = 0; k < kRuns; ++k) seconds = std::min(seconds, runs.run().facts().run_seconds);
  return seconds;
}

}  // namespace skde::bench
