#include "analysis/answers/exact_peaks.hpp"

#include <cmath>
#include <random>

#include "estimate/session.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using skde::test::silent;

namespace {

/// Samples of one normal cloud about a place, whose axes are correlated and unlike.
std::vector<double> normal_cloud(std::size_t count, Vec3 about, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> xyz;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = normal(random), b = normal(random), c = normal(random);
    xyz.insert(xyz.end(), {about.x + a, about.y + 0.8 * a + 0.6 * b, about.z + 5 * c - b});
  }
  return xyz;
}

struct Found {
  DensityPeaks cells;
  std::vector<ExactPeak> exact{};
};

Found peaks_of(std::vector<double> xyz, const DensityRequest& request) {
  Session session;
  const double count = static_cast<double>(xyz.size()) / 3;
  session.open(std::move(xyz));
  Density density = session.compute(request, silent);
  const DensityFacts facts = density.facts();
  const Kernel kernel{facts.kernel.function, facts.kernel.H};
  const double squared =
      kernel.function->roughness * kernel.amplitude() / kernel.function->constant;
  Found found{density_peaks(density.take_volume(), by_significance(0.05, squared, count), silent)};
  found.exact = exact_peaks(session, facts, found.cells.peaks, silent);
  return found;
}

/// Returns d^T C^-1 d, by Cramer's rule.
double distance(const Symmetric3& c, Vec3 d) {
  const double a = c.yy * c.zz - c.yz * c.yz, b = c.xz * c.yz - c.xy * c.zz,
               e = c.xy * c.yz - c.xz * c.yy, f = c.xx * c.zz - c.xz * c.xz,
               g = c.xy * c.xz - c.xx * c.yz, h = c.xx * c.yy - c.xy * c.xy;
  const double det = c.xx * a + c.xy * b + c.xz * e;
  return (d.x * (a * d.x + b * d.y + e * d.z) + d.y * (b * d.x + f * d.y + g * d.z) +
          d.z * (e * d.x + g * d.y + h * d.z)) /
         det;
}

}  // namespace

TEST_CASE("the mode of a normal cloud lies within its stated error", "[peaks]") {
  constexpr double k95 = 7.815;  // chi squared, three degrees of freedom
  const Vec3 centre{1e5, -3, 7};
  for (const KernelFunction kernel : {KernelFunction::gaussian, KernelFunction::epanechnikov}) {
    int single = 0, within = 0;
    for (unsigned draw = 0; draw < 100; ++draw) {
      DensityRequest request;
      request.kernel = kernel;
      request.bandwidth.bandwidth = BandwidthRule::silverman;
      request.grid.dims = std::array<std::int64_t, 3>{24, 24, 24};
      const Found found = peaks_of(normal_cloud(1000, centre, draw), request);
      single += found.exact.size() == 1 ? 1 : 0;
      const ExactPeak& peak = found.exact[0];
      CHECK(peak.settled);
      if (!peak.covariance) continue;
      within += distance(*peak.covariance, peak.place - centre) < k95 ? 1 : 0;
    }
    INFO(kernel->name);
    CHECK(single >= 97);
    CHECK(within >= 91);  // 95, and two deviations of the number of draws
  }
}

TEST_CASE("a peak of few samples is where their kernels say", "[peaks]") {
  DensityRequest request;
  request.kernel = KernelFunction::gaussian;
  request.bandwidth.bandwidth = Symmetric3::diagonal(1, 4, 0.25);
  request.grid.dims = std::array<std::int64_t, 3>{20, 20, 20};
  // Two pairs: the middle of each is a maximum, and the pairs do not reach each other.
  const Found found = peaks_of({0.1, 0, 0, -0.1, 0, 0, 50, 0.2, 1, 50, -0.2, 1}, request);
  REQUIRE(found.exact.size() == 2);
  for (const ExactPeak& peak : found.exact) {
    const bool first = peak.place.x < 25;
    CHECK(std::abs(peak.place.x - (first ? 0 : 50)) < 1e-5);
    CHECK(std::abs(peak.place.y) < 1e-5);
    CHECK(std::abs(peak.place.z - (first ? 0 : 1)) < 1e-5);
    CHECK(peak.settled);
  }
  request.kernel = KernelFunction::uniform;
  CHECK_FALSE(peaks_of({0, 0, 0, 0.5, 0, 0}, request).exact[0].settled);
}
