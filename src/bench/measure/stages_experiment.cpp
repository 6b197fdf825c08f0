#include "bench/bench_program.hpp"
#include "bench/measure/bench_options.hpp"
#include "bench/measure/host_ceilings.hpp"
#if SKDE_HAS_CUDA
#include "bench/measure/cuda_ceilings.hpp"
#endif

namespace skde::bench {
namespace {

void record_ceilings(Recorder& recorder, const EngineOptions& options) {
  for (const Ceiling& ceiling : measure_host_ceilings(options.threads)) recorder.add(ceiling);
  recorder.progress().throw_if_cancelled();
#if SKDE_HAS_CUDA
  for (const Ceiling& ceiling : measure_cuda_ceilings(options.device)) recorder.add(ceiling);
#endif
}

}  // namespace

void run_stages(const cli::Invocation& invocation) {
  BenchOptions options;
  options.plan.experiment = "stages";
  options.plan.engines = {"openmp", "span", "cuda-naive", "cuda-chop-crop", "cuda-span"};
  options.plan.measurement.repetitions = 5;
  options.plan.measurement.max_seconds = 20;
  CaseLists lists{{1000000}, {256}, {0.346, 1}, {CloudShape::five_gaussians}, {false}};
  cli::OptionTable table("skde-bench stages", "[FLAGS]",
                         "Measures the ceilings of the machine (copy, fused multiply-adds, "
                         "atomics), then the stages of each engine: time, bytes and operations "
                         "by a model of what must be done, and the share of the ceiling that "
                         "they come nearest to.");
  add_size_flags(table, lists, "1e6", "256");
  add_cloud_flags(table, lists, "0.346,1", "five-gaussians");
  add_seed_flag(table, options);
  add_engine_flags(table, options, "all but naive");
  add_result_flags(table, options);
  table.example("skde-bench stages --cells 512 -o stages/", "on 512^3 cells");
  if (!parse_options(table, invocation, options)) return;
  Recorder recorder = make_recorder(options, invocation, true);
  recorder.record([&] {
    record_ceilings(recorder, options.plan.measurement.options);
    record_overheads(recorder, options.plan);
    for (const BenchmarkCase& wanted : all_cases(lists, options))
      run_case(recorder, options.plan, wanted);
  });
}

}  // namespace skde::bench
