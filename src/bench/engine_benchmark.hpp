#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel_work.hpp"
#include "engines/engine.hpp"

namespace skde::bench {

/// How the samples lie in benchmark_box().
enum class CloudShape {
  five_gaussians,  ///< the benchmark cloud
  uniform,         ///< evenly all over the box
  spot             ///< within one cell at the middle of the box
};
/// Throws Error(usage) where there is no such shape.
CloudShape cloud_shape_by_name(std::string_view name);

/// One case: `samples` on cells^3 in benchmark_box(), H = h^2 S with S of the benchmark cloud
/// whatever the shape, so that kernels are alike.
struct BenchmarkCase {
  CloudShape shape = CloudShape::five_gaussians;
  std::uint64_t samples = 100000;
  std::int64_t cells = 100;
  double h = 1;
  KernelFunction kernel = KernelFunction::epanechnikov;
  std::uint64_t seed = 1;
};

/// Samples of which the updates of a larger cloud are counted, spread over it.
inline constexpr std::uint64_t kCountedSamples = 100000;

/// A case made ready: the cloud, its kernel, and the work that chop and crop leave.
struct BenchmarkInput {
  PointCloud cloud;
  DensityProblem problem;
  Vec3 half_extents;  ///< of the kernel, in cells
  KernelWork work;
};
BenchmarkInput make_input(const BenchmarkCase& wanted);

/// The engine that is chosen for the case where nobody names one, on this device.
std::string_view choice_for(const BenchmarkInput& input, KernelFunction kernel,
                            const EngineOptions& options, std::optional<Device> device);

struct Measurement {
  std::vector<double> seconds;  ///< of each repetition: set-up, zeroing and run, on loaded samples
  StageTimes stages;            ///< of the fastest repetition
  std::string policy;
  double peak = 0, mass = 0;  ///< of the volume, so that a wrong result is no time
};

/// Runs the engine `warmups` times unmeasured, then `repetitions` times.
Measurement measure(Engine& engine, const BenchmarkInput& input, int warmups, int repetitions);

}  // namespace skde::bench
