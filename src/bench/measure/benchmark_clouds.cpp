#include "bench/measure/benchmark_clouds.hpp"

#include <algorithm>

#include "core/counter_random.hpp"
#include "core/synthetic_cloud.hpp"

namespace skde::bench {
namespace {

// Streams of random numbers, beside those of core/synthetic_cloud.cpp: never reuse one.
constexpr std::uint64_t kFilament = 101, kSurface = 102, kClump = 103, kWeights = 104;
constexpr std::uint64_t kChunk = 1 << 16;  // samples that a thread makes at a time

Vec3 scattered(Vec3 point, Draws& draws, double deviation) {
  for (int axis = 0; axis < 3; ++axis) point[axis] += deviation * draws.normal();
  return point;
}

/// On the curve of the Chebyshev polynomials T1, T2 and T3.
Vec3 on_filament(Draws& draws) {
  const double t = draws.uniform(-1, 1);
  return scattered({4.5 * t, 3 * (4 * t * t * t - 3 * t), 3 * (2 * t * t - 1)}, draws, 0.05);
}

Vec3 on_surface(Draws& draws) {
  const double x = draws.uniform(-4.5, 4.5), y = draws.uniform(-4.5, 4.5);
  return scattered({x, y, (x * x - y * y) / 8}, draws, 0.02);
}

Vec3 in_clump(Draws& draws) {
  if (draws.uniform() < 0.9) return scattered({0.7, -0.4, 0.3}, draws, 0.05);
  Vec3 point = benchmark_box().centre();
  const double half = benchmark_box().extent().x / 2;
  for (int axis = 0; axis < 3; ++axis) point[axis] += draws.uniform(-half, half);
  return point;
}

PointCloud make_samples(CounterRandom random, std::uint64_t first, std::uint64_t count,
                        Vec3 (*make)(Draws&)) {
  PointCloud cloud;
  cloud.xyz.reserve(3 * count);
  for (std::uint64_t i = first; i < first + count; ++i) {
    Draws draws = random.at(i);
    const Vec3 p = make(draws);
    cloud.xyz.insert(cloud.xyz.end(), {p.x, p.y, p.z});
  }
  return cloud;
}

PointCloud make_part(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                     std::uint64_t count) {
  if (shape == CloudShape::filament)
    return make_samples({seed, kFilament}, first, count, on_filament);
  if (shape == CloudShape::surface) return make_samples({seed, kSurface}, first, count, on_surface);
  if (shape == CloudShape::clump) return make_samples({seed, kClump}, first, count, in_clump);
  if (shape == CloudShape::five_gaussians) return make_five_gaussians(seed, first, count);
  // The unit cube's cloud, stretched to a cube about the middle of the box.
  const double side = benchmark_box().extent().x / (shape == CloudShape::spot ? 1000 : 1);
  PointCloud cloud = make_uniform_cloud(seed, first, count);
  for (double& coordinate : cloud.xyz) coordinate = (coordinate - 0.5) * side;
  return cloud;
}

}  // namespace

PointCloud make_benchmark_cloud(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                                std::uint64_t count, bool weighted) {
  PointCloud cloud;
  cloud.xyz.resize(3 * count);
  if (weighted) cloud.weights.resize(count);
  const CounterRandom weights(seed, kWeights);
  const auto chunks = static_cast<std::int64_t>((count + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::uint64_t begin = static_cast<std::uint64_t>(chunk) * kChunk;
    const std::uint64_t size = std::min(kChunk, count - begin);
    const PointCloud part = make_part(shape, seed, first + begin, size);
    std::ranges::copy(part.xyz, cloud.xyz.begin() + static_cast<std::ptrdiff_t>(3 * begin));
    for (std::uint64_t i = begin; weighted && i < begin + size; ++i)
      cloud.weights[i] = weights.at(first + i).uniform(0.5, 1.5);
  }
  return cloud;
}

}  // namespace skde::bench
