#include "support/engine_contract.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/report/error.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {
namespace {

bool may_refuse(const EngineTraits& traits, KernelFunction function) {
  return traits.approximates || !function.is_power_up_to(1);
}

void check_kernel(const EngineTraits& traits, const EngineSetup& options,
                  const DensityCase& density_case, const Reference& reference,
                  KernelFunction function, ContractCount& count) {
  INFO(traits.name << ", " << function->name << ", " << density_case.name);
  Volume volume;
  try {
    volume = compute(traits.name, options, density_case, function);
  } catch (const Error& error) {
    INFO("refused: " << error.what());
    CHECK(error.kind() == ErrorKind::unsupported);
    CHECK(std::string(error.what()).find("cannot compute") != std::string::npos);
    const Offer offer = make_engine(traits.name, options)
                            ->offer(problem_of(density_case, function, options.precision),
                                    facts_of(density_case.cloud.view()));
    CHECK_FALSE(offer.serves());
    CHECK(may_refuse(traits, function));
    ++count.refused;
    return;
  }
  ++count.served;
  REQUIRE(volume.grid() == density_case.grid);
  REQUIRE(volume.precision() == options.precision);
  const WorstCell worst = worst_cell(volume, density_case, reference, function);
  INFO("cell " << worst.index << " is " << worst.value << ", not " << worst.expected);
  const Kernel kernel = problem_of(density_case, function, options.precision).kernel;
  // Adding floats one by one has an error that grows with their number.
  const auto samples = static_cast<std::int64_t>(density_case.cloud.size());
  CHECK(worst.error <= traits.error_in(options.precision, samples) + 2 * kernel.cut_error());
}

}  // namespace

KernelFunction plain_kernel(const EngineTraits& traits) {
  return traits.approximates ? KernelFunction::gaussian : KernelFunction::epanechnikov;
}

bool serves(std::string_view name, const EngineSetup& options, const DensityCase& density_case,
            KernelFunction function) {
  return make_engine(name, options)
      ->offer(problem_of(density_case, function, options.precision),
              facts_of(density_case.cloud.view()))
      .serves();
}

double stated_error(const EngineTraits& traits, Precision precision) {
  return precision == Precision::f32 ? traits.error_f32 : traits.error_f64;
}

Problem problem_of(const DensityCase& density_case, KernelFunction function, Precision precision) {
  Problem problem;
  problem.kernel = {function, density_case.H};
  problem.target = density_case.grid;
  problem.total_weight = density_case.total_weight();
  problem.precision = precision;
  return problem;
}

CloudFacts facts_of(const SamplesView& points) {
  return {static_cast<std::int64_t>(points.size()), points.weighted(), points.shaped()};
}

namespace {

/// An engine with the samples of a case loaded.
class LoadedCase {
 public:
  LoadedCase(std::string_view name, const EngineSetup& options, const DensityCase& of,
             KernelFunction function)
      : engine_(make_engine(name, options)),
        samples_(engine_->load(of.cloud.view())),
        problem_(problem_of(of, function, options.precision)) {}

  void load(const SamplesView& points) { samples_ = engine_->load(points, std::move(samples_)); }
  std::unique_ptr<Run> begin(std::unique_ptr<ValueBuffer> reuse = {}) {
    return engine_->begin(problem_, {std::move(reuse)});
  }
  void add(Run& run) { run.add(*samples_, silent_); }
  StageTimes add(Run& run, Progress& progress) { return run.add(*samples_, progress); }
  std::unique_ptr<ValueBuffer> finish(Run& run) {
    run.finish(silent_);
    return run.take_values();
  }
  std::unique_ptr<ValueBuffer> values(std::unique_ptr<ValueBuffer> reuse = {}) {
    const std::unique_ptr<Run> run = begin(std::move(reuse));
    add(*run);
    return finish(*run);
  }
  Volume volume() { return values()->take_volume(); }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<LoadedSamples> samples_;
  Problem problem_;
  NoProgress silent_;
};

}  // namespace

Volume compute(std::string_view name, const EngineSetup& options, const DensityCase& density_case,
               KernelFunction function) {
  return LoadedCase(name, options, density_case, function).volume();
}

ContractCount check_accuracy(const EngineTraits& traits, const EngineSetup& options,
                             const DensityCase& density_case, const Reference& reference) {
  ContractCount count;
  for (const KernelFunction function : kKernelFunctions)
    check_kernel(traits, options, density_case, reference, function, count);
  return count;
}

void check_determinism(const EngineTraits& traits, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function) {
  if (!traits.deterministic) return;
  INFO(traits.name << ", " << function->name << ", " << density_case.name);
  if (traits.approximates && !serves(traits.name, options, density_case, function)) return;
  LoadedCase loaded(traits.name, options, density_case, function);
  const Volume first = loaded.volume();
  CHECK(same_bits(first, loaded.volume()));
  if (traits.device != Device::cpu) return;
  for (const int threads : {1, 2, 5}) {
    INFO(threads << " threads");
    EngineSetup other = options;
    other.threads = threads;
    CHECK(same_bits(first, compute(traits.name, other, density_case, function)));
  }
}

namespace {

/// Compares totals and scale of a buffer with its values on the host, and takes the values.
void check_totals(ValueBuffer& buffer, const Volume& expected, double allowed) {
  const ValueTotals before = buffer.totals();
  buffer.scale(0.25);
  const ValueTotals after = buffer.totals();
  const Volume values = buffer.take_volume();
  CHECK(before.sum == Approx(4 * values.sum()).epsilon(1e-12));
  CHECK(before.maximum == 4 * values.maximum());
  CHECK(after.sum == Approx(values.sum()).epsilon(1e-12));
  CHECK(after.maximum == values.maximum());
  CHECK(relative_distance(values, expected, 0.25) <= allowed);
}

}  // namespace

void check_reuse(const EngineTraits& traits, const EngineSetup& options,
                 const DensityCase& density_case, const DensityCase& other) {
  INFO(traits.name << ", " << density_case.name);
  const KernelFunction function = plain_kernel(traits);
  const double allowed = 2 * stated_error(traits, options.precision);
  const Volume once = compute(traits.name, options, density_case, function);
  LoadedCase loaded(traits.name, options, density_case, function);
  std::unique_ptr<Run> run = loaded.begin();
  loaded.add(*run);
  loaded.add(*run);
  CHECK(relative_distance(loaded.finish(*run)->take_volume(), once, 2) <= allowed);

  check_totals(*loaded.values(loaded.values()), once, allowed);

  const Volume of_other = compute(traits.name, options, other, function);
  LoadedCase other_case(traits.name, options, other, function);
  CHECK(relative_distance(other_case.values(loaded.values())->take_volume(), of_other, 1) <=
        allowed);

  run = loaded.begin();
  const SamplesView points = density_case.cloud.view();
  const std::size_t cut = points.size() / 3;
  for (const SamplesView& part :
       {points.slice(0, cut), points.slice(cut, 0), points.slice(cut, points.size() - cut)}) {
    loaded.load(part);
    loaded.add(*run);
  }
  CHECK(relative_distance(loaded.finish(*run)->take_volume(), once, 1) <= allowed);
}

void check_progress(const EngineTraits& traits, const EngineSetup& options,
                    const DensityCase& density_case) {
  INFO(traits.name << ", " << density_case.name);
  LoadedCase loaded(traits.name, options, density_case, plain_kernel(traits));
  RecordedProgress progress;
  const std::unique_ptr<Run> run = loaded.begin();
  const StageTimes stages = loaded.add(*run, progress);
  CHECK(progress.stages_begun > 0);
  CHECK(progress.all_named);
  CHECK(progress.grows);
  CHECK(progress.total > 0);
  CHECK(progress.done == progress.total);
  CHECK_FALSE(stages.empty());
  for (const StageTime& stage : stages) {
    CHECK_FALSE(stage.stage.empty());
    CHECK(stage.seconds >= 0);
  }
  CHECK_FALSE(run->launch_policy().empty());
}

void check_cancellation(const EngineTraits& traits, const EngineSetup& options,
                        const DensityCase& density_case) {
  INFO(traits.name << ", " << density_case.name);
  constexpr double kMostDone = 0.9;
  const Volume once = compute(traits.name, options, density_case, plain_kernel(traits));
  LoadedCase loaded(traits.name, options, density_case, plain_kernel(traits));
  for (const int updates : {0, 1}) {
    RecordedProgress progress;
    progress.cancel_after = updates;
    bool cancelled = false;
    const std::unique_ptr<Run> run = loaded.begin();
    try {
      loaded.add(*run, progress);
    } catch (const Error& error) {
      cancelled = error.kind() == ErrorKind::cancelled;
      CHECK(cancelled);
    }
    // An engine whose whole run is one step has finished at its first update.
    const bool done_at_once = progress.updates == 1 && progress.done == progress.total;
    CHECK((cancelled || (updates == 1 && done_at_once)));
    if (cancelled) CHECK(run->take_values()->take_volume().sum() <= kMostDone * once.sum());
  }
  CHECK(relative_distance(loaded.volume(), once, 1) <= 2 * stated_error(traits, options.precision));
}

void check_cancelled_sums(const EngineTraits& traits, const EngineSetup& options,
                          const DensityCase& density_case) {
  INFO(traits.name << ", " << density_case.name);
  constexpr double kMostDone = 0.5;
  const Volume once = compute(traits.name, options, density_case, plain_kernel(traits));
  LoadedCase loaded(traits.name, options, density_case, plain_kernel(traits));
  RecordedProgress progress;
  progress.cancel_in = kAccumulateStage;
  progress.cancel_after = 1;
  const std::unique_ptr<Run> run = loaded.begin();
  CHECK(thrown_error([&] { loaded.add(*run, progress); }).kind() == ErrorKind::cancelled);
  CHECK(run->take_values()->take_volume().sum() <= kMostDone * once.sum());
}

}  // namespace skde::test
