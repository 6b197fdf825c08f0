#include "support/engine_contract.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "support/volume_comparison.hpp"

namespace skde::test {
namespace {

bool may_refuse(KernelFunction function) {
  return function == KernelFunction::biweight || function == KernelFunction::triweight;
}

void check_kernel(const EngineTraits& traits, const EngineOptions& options,
                  const DensityCase& density_case, const Reference& reference,
                  KernelFunction function, ContractCount& count) {
  INFO(traits.name << ", " << kernel_name(function) << ", " << density_case.name);
  Volume volume;
  try {
    volume = compute(traits.name, options, density_case, function);
  } catch (const Error& error) {
    INFO("refused: " << error.what());
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(std::string(error.what()).find("does not serve") != std::string::npos);
    CHECK(may_refuse(function));
    ++count.refused;
    return;
  }
  ++count.served;
  REQUIRE(volume.grid() == density_case.grid);
  REQUIRE(volume.precision() == options.precision);
  const WorstCell worst = worst_cell(volume, density_case, reference, function);
  INFO("cell " << worst.index << " is " << worst.value << ", not " << worst.expected);
  CHECK(worst.error <= stated_error(traits, options.precision));
}

}  // namespace

double stated_error(const EngineTraits& traits, Precision precision) {
  return precision == Precision::f32 ? traits.error_f32 : traits.error_f64;
}

DensityProblem problem_of(const DensityCase& density_case, KernelFunction function) {
  return {{function, density_case.H}, density_case.grid, density_case.total_weight()};
}

Volume compute(std::string_view name, const EngineOptions& options, const DensityCase& density_case,
               KernelFunction function) {
  NoProgress silent;
  const std::unique_ptr<Engine> engine = make_engine(name, options);
  engine->load(density_case.cloud.view());
  engine->prepare(problem_of(density_case, function));
  const std::unique_ptr<DensityBuffer> buffer = engine->make_buffer();
  engine->run(*buffer, silent);
  return buffer->take_volume();
}

ContractCount check_accuracy(const EngineTraits& traits, const EngineOptions& options,
                             const DensityCase& density_case, const Reference& reference) {
  ContractCount count;
  for (const KernelFunction function : kKernelFunctions)
    check_kernel(traits, options, density_case, reference, function, count);
  return count;
}

void check_determinism(const EngineTraits& traits, const EngineOptions& options,
                       const DensityCase& density_case, KernelFunction function) {
  if (!traits.deterministic) return;
  INFO(traits.name << ", " << kernel_name(function) << ", " << density_case.name);
  NoProgress silent;
  const std::unique_ptr<Engine> engine = make_engine(traits.name, options);
  engine->load(density_case.cloud.view());
  engine->prepare(problem_of(density_case, function));
  const std::unique_ptr<DensityBuffer> buffer = engine->make_buffer();
  engine->run(*buffer, silent);
  const Volume first = buffer->take_volume();
  const std::unique_ptr<DensityBuffer> second = engine->make_buffer();
  engine->run(*second, silent);
  CHECK(same_bits(first, second->take_volume()));
  if (traits.device != Device::cpu) return;
  for (const int threads : {1, 2, 5}) {
    INFO(threads << " threads");
    EngineOptions other = options;
    other.threads = threads;
    CHECK(same_bits(first, compute(traits.name, other, density_case, function)));
  }
}

namespace {

/// One engine with the case loaded and prepared, and a buffer.
struct Bench {
  const DensityCase& density_case;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<DensityBuffer> buffer;
  NoProgress silent;

  Bench(const EngineTraits& traits, const EngineOptions& options, const DensityCase& of)
      : density_case(of), engine(make_engine(traits.name, options)) {
    prepare(of);
    buffer = engine->make_buffer();
  }
  void prepare(const DensityCase& of) {
    engine->load(of.cloud.view());
    engine->prepare(problem_of(of, KernelFunction::epanechnikov));
  }
  void run() { engine->run(*buffer, silent); }
};

/// Totals and scale of a buffer, against its values on the host; takes them.
void check_totals(DensityBuffer& buffer, const Volume& expected, double allowed) {
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

void check_reuse(const EngineTraits& traits, const EngineOptions& options,
                 const DensityCase& density_case, const DensityCase& other) {
  INFO(traits.name << ", " << density_case.name);
  const double allowed = 2 * stated_error(traits, options.precision);
  const Volume once = compute(traits.name, options, density_case, KernelFunction::epanechnikov);
  Bench bench(traits, options, density_case);
  bench.run();
  bench.run();
  const Volume twice = bench.buffer->take_volume();
  CHECK(relative_distance(twice, once, 2) <= allowed);

  bench.buffer = bench.engine->make_buffer();
  bench.run();
  bench.buffer->clear();
  bench.run();
  check_totals(*bench.buffer, once, allowed);

  bench.prepare(other);
  bench.buffer = bench.engine->make_buffer();
  bench.run();
  const Volume of_other = bench.buffer->take_volume();
  CHECK(relative_distance(of_other,
                          compute(traits.name, options, other, KernelFunction::epanechnikov),
                          1) <= allowed);
  bench.prepare(density_case);
  bench.buffer = bench.engine->make_buffer();
  const PointsView points = density_case.cloud.view();
  const std::size_t cut = points.size() / 3;
  bench.engine->load(points.slice(0, cut));
  bench.run();
  bench.engine->load(points.slice(cut, 0));
  bench.run();
  bench.engine->load(points.slice(cut, points.size() - cut));
  bench.run();
  CHECK(relative_distance(bench.buffer->take_volume(), once, 1) <= allowed);
}

void check_progress(const EngineTraits& traits, const EngineOptions& options,
                    const DensityCase& density_case) {
  INFO(traits.name << ", " << density_case.name);
  Bench bench(traits, options, density_case);
  RecordedProgress progress;
  const StageTimes stages = bench.engine->run(*bench.buffer, progress);
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
  CHECK_FALSE(bench.engine->launch_policy().empty());
}

void check_cancellation(const EngineTraits& traits, const EngineOptions& options,
                        const DensityCase& density_case) {
  INFO(traits.name << ", " << density_case.name);
  constexpr double kMostDone = 0.9;
  const Volume once = compute(traits.name, options, density_case, KernelFunction::epanechnikov);
  Bench bench(traits, options, density_case);
  for (const int updates : {0, 1}) {
    RecordedProgress progress;
    progress.cancel_after = updates;
    bool cancelled = false;
    try {
      bench.engine->run(*bench.buffer, progress);
    } catch (const Error& error) {
      cancelled = error.kind() == ErrorKind::cancelled;
      CHECK(cancelled);
    }
    // An engine whose whole run is one step is done at its first update.
    const bool done_at_once = progress.updates == 1 && progress.done == progress.total;
    CHECK((cancelled || (updates == 1 && done_at_once)));
    if (cancelled) CHECK(bench.buffer->take_volume().sum() <= kMostDone * once.sum());
    bench.buffer = bench.engine->make_buffer();
  }
  bench.run();
  CHECK(relative_distance(bench.buffer->take_volume(), once, 1) <=
        2 * stated_error(traits, options.precision));
}

}  // namespace skde::test
