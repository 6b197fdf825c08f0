#include "bench/measure/benchmark_clouds.hpp"

#include <algorithm>
#include <cmath>

#include "core/cloud/counter_random.hpp"
#include "core/cloud/synthetic_cloud.hpp"

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

}  // namespace skde::bench
