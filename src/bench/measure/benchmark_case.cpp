#include "bench/measure/benchmark_case.hpp"

#include <algorithm>
#include <cmath>

#include "core/synthetic_cloud.hpp"
#include "engines/engine_choice.hpp"
#include "engines/registry.hpp"

namespace skde::bench {
namespace {

/// S is computed from so many samples at the most: its digits do not change the work.
constexpr std::uint64_t kCovarianceSamples = 1000000;

Grid grid_of(const BenchmarkCase& wanted) {
  GridSpec spec;
  spec.bounds = benchmark_box();
  spec.dims = {wanted.cells, 0, 0};
  return make_grid(spec, *spec.bounds, {});
}

double total_weight(const PointCloud& cloud) {
  return compute_moments(cloud.view()).total_weight();
}

Device device_of(std::string_view method) {
  for (const EngineEntry& entry : engine_table())
    if (entry.traits.name == method) return entry.traits.device;
  return Device::cpu;
}

}  // namespace

double bandwidth_of(const BenchmarkCase& wanted) {
  if (wanted.h > 0) return wanted.h;
  return wanted.kernel->silverman * std::pow(static_cast<double>(wanted.samples), -1.0 / 7);
}

int inputs_of(const BenchmarkCase& wanted) {
  return 24.0 * static_cast<double>(wanted.samples) > kCachedBytes ? 1 : wanted.inputs;
}

BenchmarkInput make_input(const BenchmarkCase& wanted) {
  BenchmarkInput input;
  input.wanted = wanted;
  input.h = bandwidth_of(wanted);
  const auto count = static_cast<std::uint64_t>(inputs_of(wanted));
  for (std::uint64_t k = 0; k < count; ++k)
    input.clouds.push_back(make_benchmark_cloud(wanted.shape, wanted.seed, k * wanted.samples,
                                                wanted.samples, wanted.weighted));
  const Moments gaussians =
      compute_moments(make_benchmark_cloud(CloudShape::five_gaussians, wanted.seed, 0,
                                           std::min(wanted.samples, kCovarianceSamples), false)
                          .view());
  input.problem.kernel = {wanted.kernel, (input.h * input.h) * gaussians.covariance()};
  input.problem.grid = grid_of(wanted);
  input.problem.total_weight = total_weight(input.clouds.front());
  const Ellipsoid<double> ellipsoid = make_ellipsoid(input.problem.kernel.H, input.problem.grid);
  input.half_extents = {ellipsoid.rx, ellipsoid.ry, ellipsoid.sz};
  input.work =
      count_work(ellipsoid, input.problem.grid, input.clouds.front().view(), kCountedSamples);
  return input;
}

double host_bytes(const BenchmarkCase& wanted, Precision precision) {
  constexpr double kSorted = 32;  // of a sample, as an engine on the CPU orders it
  const double sample = (wanted.weighted ? 32 : 24) * inputs_of(wanted) + kSorted;
  return sample * static_cast<double>(wanted.samples) +
         2 * static_cast<double>(grid_of(wanted).bytes(precision));
}

std::string_view choice_for(const BenchmarkInput& input, const EngineOptions& options,
                            std::optional<Device> device) {
  const Grid& grid = input.problem.grid;
  return choose_engine({static_cast<std::int64_t>(input.wanted.samples), input.wanted.weighted,
                        input.wanted.kernel, make_ellipsoid(input.problem.kernel.H, grid), grid},
                       options, device);
}

Result blank_result(const BenchmarkCase& wanted, std::string_view experiment,
                    std::string_view method, Precision precision) {
  Result result;
  result.experiment = experiment;
  result.method = method;
  result.device = device_of(method) == Device::cuda ? "cuda" : "cpu";
  result.cloud = cloud_name(wanted.shape);
  result.samples = wanted.samples;
  result.cells = wanted.cells;
  result.h = bandwidth_of(wanted);
  result.kernel = wanted.kernel->name;
  result.precision = precision == Precision::f64 ? "f64" : "f32";
  result.weighted = wanted.weighted;
  result.inputs = inputs_of(wanted);
  return result;
}

Result blank_result(const BenchmarkInput& input, std::string_view experiment,
                    std::string_view method, Precision precision) {
  Result result = blank_result(input.wanted, experiment, method, precision);
  result.half_extents = input.half_extents;
  result.updates = input.work.updates;
  result.evaluated = input.work.evaluated;
  return result;
}

}  // namespace skde::bench
