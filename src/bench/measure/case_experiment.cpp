#include "bench/bench_program.hpp"
#include "bench/measure/bench_options.hpp"

namespace skde::bench {

void run_case_experiment(const cli::Invocation& invocation) {
  BenchOptions options;
  options.plan.experiment = "case";
  options.plan.engines = engine_names();
  options.plan.measurement.repetitions = 5;
  CaseLists lists{{100000}, {100}, {1}, {CloudShape::five_gaussians}, {false}};
  cli::OptionTable table("skde-bench case", "[FLAGS]",
                         "Measures the engines on one case, or on all combinations of several "
                         "values, and shows the stages of the fastest run.");
  add_size_flags(table, lists, "1e5", "100");
  add_cloud_flags(table, lists, "1", "five-gaussians");
  add_seed_flag(table, options);
  add_engine_flags(table, options, "all");
  add_peer_flags(table, options, "none");
  add_result_flags(table, options);
  table.example("skde-bench case --samples 1e6 --cells 256 --bandwidth 0.346",
                "a million samples on 256^3 cells");
  if (!parse_options(table, invocation, options)) return;
  Recorder recorder = make_recorder(options, invocation, true);
  recorder.record([&] {
    find_peers(options, recorder);
    for (const BenchmarkCase& wanted : all_cases(lists, options))
      run_case(recorder, options.plan, wanted);
  });
}

}  // namespace skde::bench
