#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace skde::bench {

/// One case: `samples` of the benchmark cloud on cells^3 in benchmark_box(), H = h^2 S.
struct BenchmarkCase {
  std::uint64_t samples = 100000;
  std::int64_t cells = 100;
  double h = 1;
  KernelFunction kernel = KernelFunction::epanechnikov;
  std::uint64_t seed = 1;
};

/// Samples of which the updates of a larger cloud are counted, evenly spread over it.
inline constexpr std::uint64_t kCountedSamples = 100000;

/// A case made ready: the cloud, its kernel, and the work that chop and crop leave.
struct BenchmarkInput {
  PointCloud cloud;
  DensityProblem problem;
  Vec3 half_extents;     ///< of the kernel, in cells
  double evaluated = 0;  ///< cells in the cropped boxes; from kCountedSamples where there are more
  double updates = 0;    ///< cells inside the kernels: the additions to the volume
};
BenchmarkInput make_input(const BenchmarkCase& wanted);

struct Measurement {
  std::vector<double> seconds;  ///< of each repetition: set-up, zeroing and run, on loaded samples
  StageTimes stages;            ///< of the fastest repetition
  std::string policy;
  double peak = 0, mass = 0;  ///< of the volume, so that a wrong result is no time
};

/// Runs the engine `warmups` times unmeasured, then `repetitions` times.
Measurement measure(Engine& engine, const BenchmarkInput& input, int warmups, int repetitions);

}  // namespace skde::bench
