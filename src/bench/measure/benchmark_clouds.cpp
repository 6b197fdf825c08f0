#include "bench/measure/benchmark_clouds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/counter_random.hpp"
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/synthetic_cloud.hpp"

namespace skde::bench {
namespace {

enum Stream : std::uint64_t {  // beside those of core/synthetic_cloud.cpp: never reuse one
  kFilament = 101,
  kSurface = 102,
  kClump = 103,
  kWeights = 104,
};

constexpr std::uint64_t kChunk = 1 << 16;  // samples that a thread makes at a time

/// Uniform in a cube of this side about the middle of the box.
Vec3 in_cube(Draws& draws, double side) {
  Vec3 point = benchmark_box().centre();
  for (int axis = 0; axis < 3; ++axis) point[axis] += draws.uniform(-side / 2, side / 2);
  return point;
}

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
  return in_cube(draws, benchmark_box().extent().x);
}

template <class Make>
PointCloud make_samples(std::uint64_t seed, Stream stream, std::uint64_t first, std::uint64_t count,
                        Make make) {
  const CounterRandom random(seed, stream);
  PointCloud cloud;
  cloud.xyz.reserve(3 * count);
  for (std::uint64_t i = first; i < first + count; ++i) {
    Draws draws = random.at(i);
    const Vec3 p = make(draws);
    cloud.xyz.insert(cloud.xyz.end(), {p.x, p.y, p.z});
  }
  return cloud;
}

/// The unit cube's cloud, stretched to a cube of this side about the middle of the box.
PointCloud stretched_cube(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                          double side) {
  PointCloud cloud = make_uniform_cloud(seed, first, count);
  for (double& coordinate : cloud.xyz) coordinate = (coordinate - 0.5) * side;
  return cloud;
}

PointCloud make_part(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                     std::uint64_t count) {
  const double side = benchmark_box().extent().x;
  switch (shape) {
    case CloudShape::uniform:
      return stretched_cube(seed, first, count, side);
    case CloudShape::filament:
      return make_samples(seed, kFilament, first, count, on_filament);
    case CloudShape::surface:
      return make_samples(seed, kSurface, first, count, on_surface);
    case CloudShape::clump:
      return make_samples(seed, kClump, first, count, in_clump);
    case CloudShape::spot:
      return stretched_cube(seed, first, count, side / 1000);
    case CloudShape::five_gaussians:
      break;
  }
  return make_five_gaussians(seed, first, count);
}

}  // namespace

std::string_view cloud_name(CloudShape shape) {
  switch (shape) {
    case CloudShape::uniform:
      return "uniform";
    case CloudShape::filament:
      return "filament";
    case CloudShape::surface:
      return "surface";
    case CloudShape::clump:
      return "clump";
    case CloudShape::spot:
      return "spot";
    case CloudShape::five_gaussians:
      break;
  }
  return "five-gaussians";
}

CloudShape cloud_shape_by_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CloudShape shape : kCloudShapes) {
    if (cloud_name(shape) == name) return shape;
    names.push_back(cloud_name(shape));
  }
  throw Error(ErrorKind::usage, fmt::format("unknown cloud '{}'", name),
              {{}, did_you_mean(name, names)});
}

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
