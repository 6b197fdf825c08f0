// Pairs in bins of their distance, counted on GPUs, compared with sums over all pairs in long
// double.

#include "engines/cuda/cuda_pair_bins.hpp"

#include <chrono>
#include <cmath>
#include <iostream>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "gpu/device_fixture.hpp"
#include "support/cases/case_parts.hpp"
#include "support/references/shift_reference.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

double smooth(double r) { return r < 1 ? std::pow(1 - r * r, 3) : 0; }
double kinked(double r) { return r < 0.5 ? 1 - 4 * r * r : 0; }

}  // namespace

TEST_CASE("a GPU's sums over pairs by distance are those of the pairs", "[pairs]") {
  if (skipped()) return;
  Random random(31);
  for (int round = 0; round < 12; ++round) {
    const double size = random.log_uniform(1e-3, 1e3), reach = random.log_uniform(0.1, 10);
    const Vec3 at = round % 2 ? Vec3{} : Vec3{1e5 * size, -3e5 * size, 2e5 * size};
    Samples cloud;
    add_normal(cloud, random, at, 0.5 * size, 600);
    add_normal(cloud, random, at + Vec3{2 * size, 0, 0}, size, 601);
    const double step = round % 3 ? 0 : size;  // of rounded places: many pairs of few distances
    for (double& x : cloud.xyz) x = step > 0 ? step * std::round(x / step) : x;
    const Symmetric3 S = random_rotation(random, {size, 0.4 * size, 0.7 * size});
    INFO("round " << round << ", reach " << reach << ", step " << step / size);
    const PairBins bins = cuda_pair_bins(cloud.view(), S, reach, 1500, 1, 0, silent);
    for (const auto of : {smooth, kinked}) {
      long double expected = 0;
      for (std::size_t i = 0; i < cloud.size(); ++i)
        for (std::size_t j = 0; j < cloud.size(); ++j) {
          const Vec3 apart = cloud.view().point(i) - cloud.view().point(j);
          expected += of(double(std::sqrt(form(S, apart, apart))) / reach);
        }
      const auto scaled = [&](double r) { return of(r / reach); };
      CHECK(bins.products(scaled, of == kinked) == Approx(double(expected)).epsilon(1e-6));
      const PairBins same(cloud.view(), S, reach, 1500, 1, silent);
      CHECK(bins.products(scaled, of == kinked) == same.products(scaled, of == kinked));
      CHECK(bins.left_out(scaled, of == kinked) == Approx(double(expected) / 1499).epsilon(1e-6));
    }
  }
}

TEST_CASE("a GPU counts any number of pairs of one distance", "[pairs]") {
  if (skipped()) return;
  const std::size_t count = std::min<std::size_t>(70000, most_items()) / 2;
  Samples cloud;
  for (std::size_t i = 0; i < 2 * count; ++i)
    cloud.xyz.insert(cloud.xyz.end(), {i % 2 * 0.5, 7, 7});
  const PairBins bins = cuda_pair_bins(cloud.view(), {1, 0, 0, 1, 0, 1}, 1, 1e9, 1, 0, silent);
  const double half = 2.0 * double(count) * double(count);
  CHECK(bins.products([](double r) { return r < 0.25; }, true) == half);
  CHECK(bins.products([](double r) { return r > 0.25; }, true) == half);
  CHECK(bins.products([](double r) { return r; }, true) == Approx(half / 2).epsilon(1e-8));
}

TEST_CASE("a GPU scores the bandwidths of a million samples as the CPU does", "[pairs]") {
  if (skipped()) return;
  const std::size_t count = std::min<std::size_t>(1000000, most_items());
  const Samples cloud = make_five_gaussians(1, 0, count);
  const Symmetric3 S = compute_moments(cloud.view()).covariance();
  const auto score = [&](std::optional<int> gpu) {
    ScoredSamples scored{cloud.view(), S, KernelFunction::epanechnikov, 1, 0.1, 0.125, 4e9, 1};
    scored.gpu = gpu;  // beside one thread it is worth its start
    const auto start = std::chrono::steady_clock::now();
    const double found = least_squares_score(scored)->at(0.12, silent);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << count << (gpu ? " samples on a GPU: " : " samples on a core: ") << seconds.count()
              << " s\n";
    return found;
  };
  const double first = score(0), expected = score({});
  CHECK(first == expected);
  CHECK(score(0) == first);
}
