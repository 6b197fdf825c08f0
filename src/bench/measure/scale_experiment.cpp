#include "bench/bench_program.hpp"
#include "bench/measure/bench_options.hpp"

namespace skde::bench {
namespace {

/// The case about which the default sweeps vary one thing at a time.
const CaseLists kMiddle{{1000000}, {256}, {0}, {CloudShape::five_gaussians}, {false}};

/// Samples, cells, bandwidths, clouds, and weights, one after the other.
std::vector<CaseLists> default_sweeps() {
  CaseLists samples = kMiddle, cells = kMiddle, bandwidths = kMiddle, clouds = kMiddle,
            weights = kMiddle;
  samples.samples = {10000, 100000, 1000000, 10000000, 100000000};
  cells.cells = {64, 128, 512, 1024};
  bandwidths.bandwidths = {0.12, 0.346, 1};
  clouds.clouds = {CloudShape::uniform, CloudShape::filament, CloudShape::surface,
                   CloudShape::clump};
  weights.weighted = {true};
  return {samples, cells, bandwidths, clouds, weights};
}

}  // namespace

void run_scale(const cli::Invocation& invocation) {
  BenchOptions options;
  options.plan.experiment = "scale";
  options.plan.engines = {"openmp", "span", "cuda-chop-crop", "cuda-span"};
  options.plan.measurement.max_seconds = 30;
  CaseLists lists;
  cli::OptionTable table(
      "skde-bench scale", "[FLAGS]",
      "Measures the engines at today's sizes. Without lists of cases, one thing at a time varies "
      "about a million samples on 256^3 cells: N from 1e4 to 1e8, M from 64 to 1024, h from "
      "0.12 to 1, the cloud, and weights. With any list, all combinations are measured.");
  add_size_flags(table, lists, "1e6", "256");
  add_cloud_flags(table, lists, "silverman", "five-gaussians");
  add_seed_flag(table, options);
  add_engine_flags(table, options, "openmp,span,cuda-chop-crop,cuda-span");
  add_peer_flags(table, options, "none");
  add_result_flags(table, options);
  table.example("skde-bench scale -o scale/", "the default sweeps");
  table.example("skde-bench scale --samples 1e6,1e7 --cells 512 --bandwidth 0.12,0.346,1",
                "six cases");
  if (!parse_options(table, invocation, options)) return;
  const std::vector<CaseLists> sweeps =
      lists.empty() ? default_sweeps() : std::vector{lists.completed_by(kMiddle)};
  Recorder recorder = make_recorder(options, invocation, false);
  recorder.record([&] {
    find_peers(options, recorder);
    record_overheads(recorder, options.plan);
    for (const CaseLists& sweep : sweeps)
      for (const BenchmarkCase& wanted : all_cases(sweep, options))
        run_case(recorder, options.plan, wanted);
  });
}

}  // namespace skde::bench
