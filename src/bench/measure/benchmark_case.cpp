#include "bench/measure/benchmark_case.hpp"

#include <algorithm>
#include <cmath>

#include "core/cloud/synthetic_cloud.hpp"
#include "engines/registry/registry.hpp"

namespace skde::bench {
namespace {

/// Most samples that S is computed from: its digits do not change the work.
constexpr std::uint64_t kCovarianceSamples = 1000000;

Grid grid_of(const BenchmarkCase& wanted) {
  const Box box = benchmark_box();
  const double edge = box.extent().x / static_cast<double>(wanted.cells);
  return {box.lower, {edge, edge, edge}, {wanted.cells, wanted.cells, wanted.cells}};
}

/// Returns the device of an engine; peers run on the CPU.
Device device_of(std::string_view method) {
  const auto row = std::ranges::find(engine_table(), method,
                                     [](const EngineEntry& entry) { return entry.traits.name; });
  return row == engine_table().end() ? Device::cpu : row->traits.device;
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
  input.kernel = {wanted.kernel, (input.h * input.h) * gaussians.covariance()};
  for (std::uint64_t k = 0; k < count; ++k)
    add_case_widths(input.clouds[k], wanted.widths, wanted.seed, k * wanted.samples,
                    input.kernel.H);
  input.grid = grid_of(wanted);
  input.total_weight = compute_moments(input.clouds.front().view()).total_weight();
  const Ellipsoid<double> ellipsoid = make_ellipsoid(input.kernel.H, input.grid);
  input.half_extents = {ellipsoid.rx, ellipsoid.ry, ellipsoid.sz};
  if (wanted.widths == CaseWidths::none)
    input.work = count_work(ellipsoid, input.grid, input.clouds.front().view(), kCountedSamples);
  return input;
}

DensityRequest BenchmarkInput::request() const {
  DensityRequest request;
  request.kernel = kernel.function;
  request.bandwidth.bandwidth = kernel.H;
  request.like = grid;
  request.tolerance = wanted.tolerance;
  request.min_width = 0;  // the reference has no anti-aliasing floor
  return request;
}

Problem BenchmarkInput::problem(Precision precision) const {
  Problem problem;
  problem.kernel = kernel;
  problem.target = grid;
  problem.total_weight = total_weight;
  problem.precision = precision;
  problem.samples = static_cast<double>(wanted.samples);
  problem.tolerance = wanted.tolerance;
  return problem;
}

double host_bytes(const BenchmarkCase& wanted, Precision precision) {
  const double sample =
      ((wanted.weighted ? 32 : 24) + width_bytes(wanted.widths)) * inputs_of(wanted);
  return sample * static_cast<double>(wanted.samples) +
         2 * static_cast<double>(grid_of(wanted).bytes(precision));
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
  if (wanted.widths != CaseWidths::none) result.widths = widths_name(wanted.widths);
  if (wanted.tolerance > 0) result.tolerance = wanted.tolerance;
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
