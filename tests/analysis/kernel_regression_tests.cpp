#include <cmath>

#include "analysis/kernel_regression.hpp"
#include "core/kernel/with_profile.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/direct_sums.hpp"
#include "support/references/log_reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("local means are those of the kernels' weights", "[means]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const bool shaped : {false, true}) {
      Random random(8);
      Samples cloud;
      add_normal(cloud, random, {1, 2, 3}, 0.8, 200);
      std::vector<double> values;
      constexpr std::size_t kColumns = 4;  // more columns than a pass sums
      for (std::size_t i = 0; i < cloud.size(); ++i) {
        cloud.weights.push_back(random.log_uniform(0.1, 10));
        if (shaped) cloud.bandwidth_factors.push_back(random.log_uniform(0.5, 2));
        values.insert(values.end(), {random.uniform(-1, 1), 1e6 + random.uniform(0, 1), 5.0,
                                     1e-9 * random.uniform(0, 3)});
      }
      DensityRequest request;
      request.kernel = kernel;
      request.bandwidth.bandwidth = kTiltedBandwidth;
      Samples at;
      add_normal(at, random, {1, 2, 3}, 0.6, 50);
      at.xyz.insert(at.xyz.end(), {1e4, 0, 0});
      Session session = session_with(cloud);
      const KernelRegression found =
          kernel_regression(session, request, TargetPoints(at.xyz), values, kColumns, silent);
      const bool ends = kernel->is_bounded();
      CHECK(found.unreached == (ends ? 1 : 0));
      CHECK(std::isnan(found.means[50 * kColumns]) == ends);
      CHECK(std::isnan(found.deviations[50 * kColumns + 3]) == ends);
      const DirectSums direct{kernel, kTiltedBandwidth, cloud.view()};
      for (std::size_t i = 0; i < 50; ++i)
        for (std::size_t c = 0; c < kColumns; ++c) {
          double weight = 0, sum = 0, squares = 0;
          for (std::size_t j = 0; j < cloud.size(); ++j) {
            const double w = cloud.weights[j] * direct.pair(at.view().point(i), j);
            weight += w;
            sum += w * values[j * kColumns + c];
          }
          if (!(weight > 0)) continue;
          const double mean = sum / weight;
          for (std::size_t j = 0; j < cloud.size(); ++j)
            squares += cloud.weights[j] * direct.pair(at.view().point(i), j) *
                       std::pow(values[j * kColumns + c] - mean, 2);
          const double spread = c == 3 ? 3e-9 : 1, deviation = std::sqrt(squares / weight);
          CHECK(std::abs(found.means[i * kColumns + c] - mean) < 1e-8 * spread);
          CHECK(std::abs(found.deviations[i * kColumns + c] - deviation) < 1e-6 * spread);
        }
    }
}

TEST_CASE("local means of Gaussians hold however far samples are", "[means]") {
  double worst = 0, worst_deviation = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Samples cloud;
    add_normal(cloud, random, {1, 2, 3}, 1, 5 + static_cast<std::size_t>(random.below(1000)));
    const double width = random.log_uniform(0.02, 2);
    const Symmetric3 H = random_rotated(seed, {width, 0.6 * width, 0.8 * width});
    std::vector<double> values;
    const bool weighted = random.chance(0.5), shaped = random.chance(0.3);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      if (weighted) cloud.weights.push_back(random.log_uniform(1e-4, 10));
      if (shaped) cloud.bandwidth_factors.push_back(random.log_uniform(0.5, 2));
      values.push_back(1e5 + random.uniform(-1, 1));
    }
    const double spread = 2;
    DensityRequest request;
    request.kernel = KernelFunction::gaussian;
    request.bandwidth.bandwidth = H;
    request.options.threads = 1;
    Samples at;
    add_normal(at, random, {1, 2, 3}, random.log_uniform(1, 20), 12);
    Session session = session_with(cloud);
    const KernelRegression found =
        kernel_regression(session, request, TargetPoints(at.xyz), values, 1, silent);
    CHECK(found.unreached == 0);
    LogReference reference(cloud.view(), H);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto& shares = reference.shares(at.view().point(i));
      long double mean = 0, squares = 0;
      for (std::size_t j = 0; j < shares.size(); ++j) mean += shares[j] * (values[j] - 1e5L);
      for (std::size_t j = 0; j < shares.size(); ++j)
        squares += shares[j] * (values[j] - 1e5L - mean) * (values[j] - 1e5L - mean);
      const auto deviation = static_cast<double>(std::sqrt(squares));
      const double off = std::abs(found.means[i] - 1e5 - static_cast<double>(mean));
      worst = std::max(worst, std::isfinite(off) ? off / spread : 1);
      worst_deviation =
          std::max(worst_deviation, std::abs(found.deviations[i] - deviation) / spread);
    }
  }
  CHECK(worst < 1e-7);
  CHECK(worst_deviation < 1e-5);
}

TEST_CASE("means of Gaussians are those of the nearest samples, behind others as far as each other",
          "[means]") {
  // Two clumps that are equally likely say nothing of each other, nor of a third one.
  Random random(3);
  Samples cloud;
  std::vector<double> values;
  for (const auto& [centre, value] :
       {std::pair{Vec3{100, 0, 0}, 1.0}, std::pair{Vec3{-100, 0, 0}, 2.0},
        std::pair{Vec3{0, 10, 0}, 3.0}}) {
    add_normal(cloud, random, centre, 1e-3, 40);
    values.insert(values.end(), 40, value);
  }
  Session session = session_with(cloud);
  DensityRequest request;
  request.kernel = KernelFunction::gaussian;
  request.bandwidth.bandwidth = Vec3{1, 1, 1};
  const KernelRegression found = kernel_regression(
      session, request, TargetPoints({0, 0, 0, 60, 0, 0, -60, 0, 0}), values, 1, silent);
  CHECK(found.means == std::vector<double>{3, 1, 2});
}

TEST_CASE("values that are none of the samples' are refused", "[means]") {
  Session session;
  session.open({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  DensityRequest request;
  request.bandwidth.bandwidth = kTiltedBandwidth;
  const auto refused = [&](const std::vector<double>& values, std::size_t columns) {
    return thrown_error([&] {
      static_cast<void>(
          kernel_regression(session, request, TargetPoints({0, 0, 0}), values, columns, silent));
    });
  };
  CHECK(refused({1, 2, 3}, 1).kind() == ErrorKind::usage);
  CHECK(refused({1, 2, 3}, 2).parameter() == "value");
  CHECK(refused({1, 2, NAN, 4}, 1).problem().find("sample 2 (from 0)") != std::string::npos);
}
