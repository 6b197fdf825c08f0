#include "bench/bench_program.hpp"
#include "bench/measure/bench_options.hpp"

namespace skde::bench {
namespace {

constexpr std::size_t kCheckedCells = 2000;

const std::vector kShapes{CloudShape::five_gaussians};
const CaseLists kSmall{{10000}, {50}, {1}, kShapes, {false}},
    kMedium{{100000}, {100}, {1}, kShapes, {false}},
    kLarge{{1000000}, {512}, {0.346}, kShapes, {false}};

}  // namespace

void run_accuracy(const cli::Invocation& invocation) {
  BenchOptions options;
  options.plan.experiment = "accuracy";
  options.plan.engines = engine_names();
  options.plan.checked_cells = kCheckedCells;
  options.plan.measurement.max_seconds = 30;
  CaseLists lists;
  cli::OptionTable table(
      "skde-bench accuracy", "[FLAGS]",
      "Measures errors and times of the engines, in f32 and f64 unless --precision names one. The "
      "reference is the direct sum in double at 2000 cells, half of them anywhere and half at "
      "samples, and at the peak. Without lists of cases: 1e4 samples on 50^3 and 1e5 on 100^3 "
      "cells with h = 1, 1e6 on 512^3 with h = 0.346.");
  add_size_flags(table, lists, "see above; or 1e5", "see above; or 100");
  add_cloud_flags(table, lists, "1", "five-gaussians");
  add_seed_flag(table, options);
  add_engine_flags(table, options, "all");
  add_result_flags(table, options);
  table.example("skde-bench accuracy -o accuracy/", "a point an engine and precision");
  const auto flags = parse_options(table, invocation, options);
  if (!flags) return;
  std::vector<Precision> precisions{Precision::f32, Precision::f64};
  if (flags->has("precision")) precisions = {options.plan.measurement.options.precision};
  const std::vector<CaseLists> sweeps = lists.empty() ? std::vector{kSmall, kMedium, kLarge}
                                                      : std::vector{lists.completed_by(kMedium)};
  Recorder recorder = make_recorder(options, invocation, false);
  recorder.record([&] {
    for (const CaseLists& sweep : sweeps)
      for (const BenchmarkCase& wanted : all_cases(sweep, options))
        for (const Precision precision : precisions) {
          options.plan.measurement.options.precision = precision;
          run_case(recorder, options.plan, wanted);
        }
  });
}

}  // namespace skde::bench
