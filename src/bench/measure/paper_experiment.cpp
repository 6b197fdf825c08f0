#include "bench/bench_program.hpp"
#include "bench/measure/bench_options.hpp"

namespace skde::bench {

// The experiment of Lopez-Novoa et al. (2015, 2016): five Gaussians with centres and variances
// uniform in [-1,1], the variances by absolute value, in the box [-5,5]^3; Epanechnikov kernels
// with the covariance of the samples and a bandwidth of 1, so H = S.
void run_paper(const cli::Invocation& invocation) {
  BenchOptions options;
  options.plan.experiment = "paper";
  options.plan.engines = engine_names();
  CaseLists lists{
      {100, 1000, 10000, 100000}, {10, 25, 50, 100}, {1}, {CloudShape::five_gaussians}, {false}};
  cli::OptionTable table("skde-bench paper", "[FLAGS]",
                         "Runs the published experiment of the S-KDE papers: five Gaussians in "
                         "[-5,5]^3, a bandwidth of 1, the Epanechnikov kernel, three "
                         "repetitions.");
  add_size_flags(table, lists, "100,1e3,1e4,1e5", "10,25,50,100");
  add_seed_flag(table, options);
  add_engine_flags(table, options, "all");
  add_peer_flags(table, options, "all");
  add_result_flags(table, options);
  table.example("skde-bench paper -o paper/", "all of it, with paper/results.json");
  table.example("skde-bench paper --samples 100,1000 --cells 10,25 --engines openmp,span",
                "a corner of the grid");
  if (!parse_options(table, invocation, options)) return;
  Recorder recorder = make_recorder(options, invocation, false);
  recorder.record([&] {
    find_peers(options, recorder);
    record_overheads(recorder, options.plan);
    for (const BenchmarkCase& wanted : all_cases(lists, options))
      run_case(recorder, options.plan, wanted);
  });
}

}  // namespace skde::bench
