#include "bench/measure/benchmark_clouds.hpp"

#include <algorithm>

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

}  // namespace skde::bench
