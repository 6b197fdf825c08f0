#include "bench/example_run.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>

namespace skde::test {
namespace {

struct Method {
  const char* name;
  const char* device;
  double launch, seconds_per_update, seconds_per_cell_and_sample;
};

constexpr Method kMethods[] = {
    {"naive", "cpu", 2e-6, 0, 1.1e-9},          {"openmp", "cpu", 3e-5, 6.4e-9, 0},
    {"span", "cpu", 6e-5, 5.5e-10, 0},          {"cuda-naive", "cuda", 2e-5, 0, 1.05e-12},
    {"cuda-chop-crop", "cuda", 3e-5, 4e-12, 0}, {"cuda-span", "cuda", 7e-5, 9e-13, 0},
};

/// Low-discrepancy steps through 0..1, the same in every run of the tests.
double wobble(std::size_t step) { return std::fmod(static_cast<double>(step) * 0.6180339887, 1.0); }

bench::Result result_of(const Method& method, std::uint64_t samples, std::int64_t cells,
                        std::size_t step) {
  bench::Result r;
  r.experiment = "paper";
  r.method = method.name;
  r.device = method.device;
  r.cloud = "five-gaussians";
  r.samples = samples;
  r.cells = cells;
  r.h = 1;
  r.kernel = "epanechnikov";
  r.precision = "f32";
  const double n = static_cast<double>(samples), m = static_cast<double>(cells);
  r.updates = n * std::pow(0.16 * m, 3);
  r.evaluated = 1.5 * r.updates;
  const double seconds = method.launch + method.seconds_per_update * r.updates +
                         method.seconds_per_cell_and_sample * n * m * m * m;
  r.automatic = r.method == (r.device == "cpu" ? "span" : "cuda-span");
  if (seconds > 60) {
    r.status = bench::Status::skipped;
    r.reason = fmt::format("would take {:.0f} s, more than --max-seconds 60", seconds);
    return r;
  }
  for (std::size_t i = 0; i < 3; ++i)
    r.seconds.push_back(seconds * (1 + 0.25 * wobble(3 * step + i)));
  r.stages = {{"zero", 0.2 * seconds, 4 * m * m * m, {}, ""},
              {"accumulate", 0.8 * seconds, 12 * n + 0.1 * r.updates, 3 * r.updates, "fma"}};
  r.error = 1e-7 * (1 + 30 * wobble(step));
  return r;
}

}  // namespace

bench::RunRecord example_run() {
  bench::RunRecord run;
  run.machine = {"A CPU & Sons <2 GHz>",
                 2,
                 1.6e10,
                 "NVIDIA H200",
                 "580.10",
                 "12.8",
                 1.5e11,
                 "g++ 12",
                 "-O3",
                 "0.1.0",
                 "abcdef0"};
  run.date = "2026-01-31T12:00:00Z";
  run.command_line = "skde-bench paper --json run.json";
  run.ceilings = {{"cpu", "copy", 1.2e10, "B"},
                  {"cpu", "fma", 2e11, "operations"},
                  {"cuda", "copy", 4.2e12, "B"},
                  {"cuda", "fma", 3e13, "operations"},
                  {"cuda", "coalesced atomics", 7.9e11, "operations"}};
  run.overheads = {{"span", 2e-5}, {"cuda-span", 7e-5}};
  std::size_t step = 0;
  for (const std::uint64_t samples : {100, 1000, 10000, 100000})
    for (const std::int64_t cells : {10, 25, 50, 100})
      for (const Method& method : kMethods)
        run.results.push_back(result_of(method, samples, cells, ++step));
  bench::Result& wrong = run.results.back();
  wrong.status = bench::Status::wrong;
  wrong.reason = "differs by 0.21 of the peak from the others";
  wrong.seconds.clear();
  wrong.stages.clear();
  wrong.error = 0.21;
  return run;
}

}  // namespace skde::test
