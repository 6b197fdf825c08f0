#include "bench/measure/benchmark_case.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "core/cloud/synthetic_cloud.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::bench;

namespace {

/// Returns the share of the samples for which `is_so` holds.
template <class Predicate>
double share_of(const Samples& cloud, Predicate is_so) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) count += is_so(cloud.view().point(i)) ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(cloud.size());
}

}  // namespace

TEST_CASE("a cloud is the same in one piece, in two, and on any number of threads") {
  constexpr std::uint64_t kCount = 70001, kFirst = 65000;  // more than kChunk
  for (const auto& [name, shape] : kClouds) {
    INFO(name);
    const Samples whole = make_benchmark_cloud(shape, 7, 0, kCount, true);
    REQUIRE(whole.size() == kCount);
    REQUIRE(whole.weights.size() == kCount);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Samples part = make_benchmark_cloud(shape, 7, kFirst, kCount - kFirst, true);
    omp_set_num_threads(threads);
    CHECK(std::equal(part.xyz.begin(), part.xyz.end(), whole.xyz.begin() + 3 * kFirst));
    CHECK(std::equal(part.weights.begin(), part.weights.end(), whole.weights.begin() + kFirst));
    CHECK(make_benchmark_cloud(shape, 8, 0, 10, false).xyz !=
          make_benchmark_cloud(shape, 7, 0, 10, false).xyz);
    CHECK(make_benchmark_cloud(shape, 7, 0, 10, false).weights.empty());
  }
}

TEST_CASE("clouds have the shapes that they are named for") {
  constexpr std::uint64_t kCount = 20000;
  const auto cloud = [](CloudShape shape) {
    return make_benchmark_cloud(shape, 3, 0, kCount, false);
  };
  const auto inside = [](Vec3 p) {
    return std::abs(p.x) <= 5 && std::abs(p.y) <= 5 && std::abs(p.z) <= 5;
  };
  for (const auto& [name, shape] : kClouds) {
    INFO(name);
    CHECK(share_of(cloud(shape), inside) > 0.99);
  }
  CHECK(cloud(CloudShape::five_gaussians).xyz == make_five_gaussians(3, 0, kCount).xyz);
  CHECK(share_of(cloud(CloudShape::uniform), [](Vec3 p) { return p.x < 2.5 && p.z > 0; }) ==
        Approx(0.375).margin(0.015));
  CHECK(share_of(cloud(CloudShape::surface),
                 [](Vec3 p) { return std::abs(p.z - (p.x * p.x - p.y * p.y) / 8) < 0.1; }) > 0.99);
  CHECK(share_of(cloud(CloudShape::filament), [](Vec3 p) {
          const double t = p.x / 4.5;
          return std::abs(p.z - 3 * (2 * t * t - 1)) < 0.5 &&
                 std::abs(p.y - 3 * (4 * t * t * t - 3 * t)) < 1;
        }) > 0.99);
  CHECK(share_of(cloud(CloudShape::clump), [](Vec3 p) {
          return std::hypot(p.x - 0.7, p.y + 0.4, p.z - 0.3) < 0.25;
        }) == Approx(0.9).margin(0.01));
  CHECK(share_of(cloud(CloudShape::spot), [](Vec3 p) {
          return std::abs(p.x) < 0.0051 && std::abs(p.y) < 0.0051 && std::abs(p.z) < 0.0051;
        }) == 1);
}

TEST_CASE("weights lie between a half and one and a half") {
  const Samples cloud = make_benchmark_cloud(CloudShape::uniform, 1, 0, 10000, true);
  const auto [least, most] = std::ranges::minmax(cloud.weights);
  CHECK(least >= 0.5);
  CHECK(least < 0.51);
  CHECK(most < 1.5);
  CHECK(most > 1.49);
}

TEST_CASE("kernels of samples' own are the same in one piece and in two, and have their lengths") {
  const Symmetric3 H{0.5, 0.1, 0, 0.4, -0.1, 0.6};
  for (const CaseWidths widths : {CaseWidths::factors, CaseWidths::splats}) {
    INFO(widths_name(widths));
    Samples whole = make_benchmark_cloud(CloudShape::uniform, 7, 0, 3000, false), part = whole;
    add_case_widths(whole, widths, 7, 0, H);
    part.xyz.erase(part.xyz.begin(), part.xyz.begin() + 3 * 1000);
    add_case_widths(part, widths, 7, 1000, H);
    const bool splats = widths == CaseWidths::splats;
    const auto &all = splats ? whole.shapes : whole.bandwidth_factors,
               &rest = splats ? part.shapes : part.bandwidth_factors;
    const std::ptrdiff_t each = splats ? 6 : 1;
    REQUIRE(all.size() == static_cast<std::size_t>(3000 * each));
    CHECK(std::equal(rest.begin(), rest.end(), all.begin() + 1000 * each));
    double least = 1e9, most = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const double length = splats ? std::sqrt(whole.view().shape(i).trace() / H.trace())
                                   : whole.bandwidth_factors[i];
      least = std::min(least, length);
      most = std::max(most, length);
    }
    CHECK(least >= (splats ? 0.125 : 0.25));
    CHECK(least < (splats ? 0.2 : 0.26));
    CHECK(most <= (splats ? 1 : 2));
    CHECK(most > (splats ? 0.9 : 1.95));
  }
}

TEST_CASE("clouds are known by their names") {
  for (const auto& [name, shape] : kClouds) CHECK(cloud_name(shape) == name);
}
