#include "analysis/bootstrap_bandwidth.hpp"

#include <cmath>

#include "bandwidth/sample_choice.hpp"
#include "core/cloud/moments.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "core/kernel/with_profile.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/references/reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

BootstrapSpec small_spec(KernelFunction kernel) {
  BootstrapSpec spec;
  spec.request = cube_request(10, 0.9, "naive");
  spec.request.kernel = kernel;
  spec.request.precision = Precision::f64;
  if (kernel == KernelFunction::gaussian) spec.request.tolerance = 1e-12;
  spec.widths = {0.7, 1.1};
  spec.realizations = 3;
  spec.seed = 4;
  return spec;
}

/// Returns the covariance of draws from kernels with H = the unit matrix, about samples at two
/// distant places.
Symmetric3 kernel_covariance(KernelFunction kernel) {
  Samples cloud;
  constexpr std::size_t kCount = 200000;
  for (std::size_t i = 0; i < kCount; ++i)
    for (int a = 0; a < 3; ++a) cloud.xyz.push_back(i % 2 == 0 ? 1e4 : -1e4);
  const Moments moments = compute_moments(cloud.view());
  Samples drawn =
      draw_realization(cloud.view(), kernel, Symmetric3::diagonal(1, 1, 1), moments, 9, 0);
  for (double& x : drawn.xyz) x -= x > 0 ? 1e4 : -1e4;
  return compute_moments(drawn.view()).covariance();
}

}  // namespace

TEST_CASE("realisations are drawn from the kernels, and have the cloud's mean and covariance",
          "[bootstrap]") {
  for (const KernelFunction kernel : kKernelFunctions) {
    INFO(kernel->name);
    const Symmetric3 c = kernel_covariance(kernel);
    // Five standard deviations of the variance of that many draws, plus what shrinking by 1e-8 of
    // 1e4 leaves.
    const double off = 5 * kernel->variance * std::sqrt(2.0 / 200000) + 1e-3 * kernel->variance;
    for (const double variance : {c.xx, c.yy, c.zz})
      CHECK(std::abs(variance - kernel->variance) < off);
    for (const double mixed : {c.xy, c.xz, c.yz}) CHECK(std::abs(mixed) < off);
  }
  const Samples cloud = gaussian_cloud(50000);
  const Moments moments = compute_moments(cloud.view());
  const Symmetric3 S = moments.covariance();
  const Samples drawn =
      draw_realization(cloud.view(), KernelFunction::epanechnikov, 0.8 * S, moments, 1, 0);
  const Moments found = compute_moments(drawn.view());
  for (int a = 0; a < 3; ++a) {
    CHECK(std::abs(found.mean()[a] - moments.mean()[a]) < 5 * std::sqrt(S(a, a) / 50000));
    CHECK(found.covariance()(a, a) == Approx(S(a, a)).epsilon(0.05));
  }
  CHECK(draw_realization(cloud.view(), KernelFunction::epanechnikov, 0.8 * S, moments, 1, 0).xyz ==
        drawn.xyz);
  CHECK(draw_realization(cloud.view(), KernelFunction::epanechnikov, 0.8 * S, moments, 1, 1).xyz !=
        drawn.xyz);
}

TEST_CASE("a bootstrap measures drawn clouds against the reference density", "[bootstrap]") {
  for (const KernelFunction kernel : {KernelFunction::biweight, KernelFunction::gaussian}) {
    INFO(kernel->name);
    const Samples cloud = gaussian_cloud(120, true);
    const BootstrapSpec spec = small_spec(kernel);
    const BootstrapResult result = bootstrap_bandwidth(cloud.view(), spec, silent);
    const Moments moments = compute_moments(cloud.view());
    const Symmetric3 S = moments.covariance();
    const double reference_h = 0.9;
    CHECK(result.reference.h == reference_h);
    const auto density = [&](const Samples& samples, double h) {
      double total = 0;
      for (const double w : samples.weights) total += w;
      return make_reference(samples.view(), (h * h) * S, result.grid, total).of(kernel);
    };
    const std::vector<double> expected = density(cloud, reference_h);
    REQUIRE(result.rows.size() == 2);
    for (const BootstrapRow& row : result.rows) {
      std::vector<double> largest, mean, squared;
      for (std::uint64_t r = 0; r < 3; ++r) {
        const Samples drawn =
            draw_realization(cloud.view(), kernel, (reference_h * reference_h) * S, moments, 4, r);
        const std::vector<double> found = density(drawn, row.h);
        double most = 0, sum = 0, squares = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          const double off = std::abs(found[i] - expected[i]);
          most = std::max(most, off);
          sum += off;
          squares += off * off;
        }
        largest.push_back(most);
        mean.push_back(sum / static_cast<double>(found.size()));
        squared.push_back(squares * result.grid.cell_volume());
      }
      for (auto& [values, p] : {std::pair(&largest, &row.largest),
                                {&mean, &row.mean_absolute},
                                {&squared, &row.squared}}) {
        std::ranges::sort(*values);
        CHECK(p->minimum == Approx((*values)[0]).epsilon(1e-6));
        CHECK(p->low == p->minimum);  // index floor(0.025 * 3)
        CHECK(p->median == Approx((*values)[1]).epsilon(1e-6));
        CHECK(p->high == p->maximum);  // index floor(0.975 * 3)
        CHECK(p->maximum == Approx((*values)[2]).epsilon(1e-6));
        CHECK(p->mean == Approx(((*values)[0] + (*values)[1] + (*values)[2]) / 3).epsilon(1e-6));
      }
    }
    CHECK(result.best.source == "bootstrap");
  }
}

TEST_CASE("samples of a realisation have the weights of those that they are drawn about",
          "[bootstrap]") {
  Samples cloud;
  for (int i = 0; i < 600; ++i) {
    const bool heavy = i % 3 == 0;
    cloud.xyz.insert(cloud.xyz.end(), {heavy ? 1000.0 : -1000.0, 0.1 * (i % 7), 0.1 * (i % 5)});
    cloud.weights.push_back(heavy ? 5 : 1);
  }
  const Samples drawn =
      draw_realization(cloud.view(), KernelFunction::biweight, Symmetric3::diagonal(1, 1, 1),
                       compute_moments(cloud.view()), 1, 0);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    REQUIRE(drawn.weights[i] == (drawn.xyz[3 * i] > 0 ? 5 : 1));
}

TEST_CASE("a bootstrap wants one h for all samples", "[bootstrap]") {
  Samples cloud = gaussian_cloud(30);
  BootstrapSpec spec = small_spec(KernelFunction::uniform);
  spec.request.bandwidth.bandwidth = Vec3{1, 1, 1};
  CHECK(thrown_error([&] { bootstrap_bandwidth(cloud.view(), spec, silent); }).kind() ==
        ErrorKind::usage);
  cloud.bandwidth_factors.assign(30, 1.0);
  CHECK(says(thrown_error([&] {
               bootstrap_bandwidth(cloud.view(), small_spec(KernelFunction::uniform), silent);
             }),
             "per-sample bandwidths"));
}

TEST_CASE("samples are chosen at random, none twice, with their weights", "[bootstrap]") {
  Samples cloud;
  for (int i = 0; i < 1000; ++i) {
    cloud.xyz.insert(cloud.xyz.end(), {double(i), 0, 0});
    cloud.weights.push_back(i + 0.5);
  }
  for (const auto choose : {choose_samples, choose_by_value}) {
    const Samples chosen = choose(cloud.view(), 300, 5);
    REQUIRE(chosen.size() == 300);
    std::vector<int> seen(1000, 0);
    for (std::size_t i = 0; i < 300; ++i) {
      const double x = chosen.view().point(i).x;
      CHECK(chosen.weights[i] == x + 0.5);
      CHECK(++seen[static_cast<std::size_t>(x)] == 1);
    }
    CHECK(choose(cloud.view(), 5000, 5).size() == 1000);
  }
}

TEST_CASE("samples chosen by value are the same in any order, copies among them", "[bootstrap]") {
  Samples cloud, turned;
  for (int i = 0; i < 1000; ++i) {
    cloud.xyz.insert(cloud.xyz.end(), {double(i % 4), 1, 2});
    turned.xyz.insert(turned.xyz.end(), {double((999 - i) % 4), 1, 2});
  }
  const Samples chosen = choose_by_value(cloud.view(), 400, 7);
  CHECK(chosen.xyz == choose_by_value(turned.view(), 400, 7).xyz);
  std::vector<int> seen(4, 0);  // 100 of each place, with a standard deviation of 7
  for (std::size_t i = 0; i < 400; ++i) ++seen[static_cast<std::size_t>(chosen.xyz[3 * i])];
  for (const int count : seen) CHECK(std::abs(count - 100) < 35);
}
