#include "bench/measure/benchmark_case.hpp"

#include <algorithm>
#include <cmath>

#include "core/cloud/counter_random.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "engines/registry/registry.hpp"

namespace skde::bench {
namespace {

constexpr std::uint64_t kWeights = 104;    // random stream, besides those of
                                           // core/cloud/synthetic_cloud.cpp
constexpr std::uint64_t kChunk = 1 << 16;  // samples that a thread makes at a time

Samples make_part(CloudShape shape, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  if (shape == CloudShape::filament) return make_filament(seed, first, count);
  if (shape == CloudShape::surface) return make_surface(seed, first, count);
  if (shape == CloudShape::clump) return make_clump(seed, first, count);
  if (shape == CloudShape::five_gaussians) return make_five_gaussians(seed, first, count);
  // The unit cube's cloud, stretched to a cube around the middle of the box.
  const double side = benchmark_box().extent().x / (shape == CloudShape::spot ? 1000 : 1);
  Samples cloud = make_uniform_cloud(seed, first, count);
  for (double& coordinate : cloud.xyz) coordinate = (coordinate - 0.5) * side;
  return cloud;
}

constexpr std::uint64_t kWidths = 105, kSplats = 106;  // random streams, besides that of weights

double log_uniform(Draws& draws, double least, double most) {
  return least * std::pow(most / least, draws.uniform());
}

/// Returns R diag(squares) R^T, with R uniform over all rotations.
Symmetric3 turned(Draws& draws, double common) {
  constexpr double kShortest = 0.125;
  double quaternion[4], norm = 0;
  for (double& part : quaternion) {
    part = draws.normal();
    norm += part * part;
  }
  for (double& part : quaternion) part /= std::sqrt(norm);
  const auto [w, x, y, z] = quaternion;
  const Vec3 axes[3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  Symmetric3 sum;
  for (const Vec3& axis : axes) {
    const Vec3 v = log_uniform(draws, kShortest * common, common) * axis;
    sum = sum + Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  }
  return sum;
}

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

Samples make_benchmark_cloud(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                             std::uint64_t count, bool weighted) {
  Samples cloud;
  cloud.xyz.resize(3 * count);
  if (weighted) cloud.weights.resize(count);
  const CounterRandom weights(seed, kWeights);
  const auto chunks = static_cast<std::int64_t>((count + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::uint64_t begin = static_cast<std::uint64_t>(chunk) * kChunk;
    const std::uint64_t size = std::min(kChunk, count - begin);
    const Samples part = make_part(shape, seed, first + begin, size);
    std::ranges::copy(part.xyz, cloud.xyz.begin() + static_cast<std::ptrdiff_t>(3 * begin));
    for (std::uint64_t i = begin; weighted && i < begin + size; ++i)
      cloud.weights[i] = weights.at(first + i).uniform(0.5, 1.5);
  }
  return cloud;
}

void add_case_widths(Samples& cloud, CaseWidths widths, std::uint64_t seed, std::uint64_t first,
                     const Symmetric3& H) {
  if (widths == CaseWidths::none) return;
  const bool factors = widths == CaseWidths::factors;
  const CounterRandom random(seed, factors ? kWidths : kSplats);
  const double common = std::sqrt(H.trace() / 3);
  const std::size_t count = cloud.size();
  (factors ? cloud.bandwidth_factors : cloud.shapes).reserve(factors ? count : 6 * count);
  for (std::size_t i = 0; i < count; ++i) {
    Draws draws = random.at(first + i);
    if (factors) {
      cloud.bandwidth_factors.push_back(log_uniform(draws, 0.25, 2));
      continue;
    }
    const Symmetric3 m = turned(draws, common);
    cloud.shapes.insert(cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
}

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
