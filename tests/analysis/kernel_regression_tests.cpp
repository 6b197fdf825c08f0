#include "analysis/kernel_regression.hpp"

#include <cmath>
#include <numeric>

#include "analysis/regression_grid.hpp"
#include "core/kernel/with_profile.hpp"
#include "core/problem.hpp"
#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
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
      DensityRequest request{.kernel = kernel, .bandwidth = {.bandwidth = kTiltedBandwidth}};
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
    DensityRequest request{.kernel = KernelFunction::gaussian,
                           .bandwidth = {.bandwidth = H},
                           .options = {.threads = 1}};
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
  DensityRequest request{.kernel = KernelFunction::gaussian,
                         .bandwidth = {.bandwidth = Vec3{1, 1, 1}}};
  const KernelRegression found = kernel_regression(
      session, request, TargetPoints({0, 0, 0, 60, 0, 0, -60, 0, 0}), values, 1, silent);
  CHECK(found.means == std::vector<double>{3, 1, 2});
}

TEST_CASE("values that are none of the samples' are refused", "[means]") {
  Session session;
  session.open({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  DensityRequest request{.bandwidth = {.bandwidth = kTiltedBandwidth}};
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

// Means on grids, compared with direct sums and with means at the cells' centres.

namespace {

constexpr std::size_t kColumns = 3;

struct ValuedCloud {
  Samples samples;
  std::vector<double> values;  ///< per sample: arbitrary; 5; 1e6 but for one sample
};

ValuedCloud cloud_of(std::uint64_t seed, bool shaped, double lightest = 1e-6) {
  Random random(seed);
  ValuedCloud cloud;
  add_normal(cloud.samples, random, {1, 2, 3}, 0.8, 200);
  add_uniform(cloud.samples, random, {{-4, -3, -2}, {6, 7, 8}}, 40);
  for (std::size_t i = 0; i < cloud.samples.size(); ++i) {
    cloud.samples.weights.push_back(random.log_uniform(lightest, 10));
    if (shaped) cloud.samples.bandwidth_factors.push_back(random.log_uniform(0.5, 2));
    cloud.values.insert(cloud.values.end(), {random.uniform(-1, 1), 5.0, i == 7 ? 1e6 + 2 : 1e6});
  }
  return cloud;
}

DensityRequest means_request(KernelFunction kernel) {
  return {.kernel = kernel,
          .bandwidth = {.bandwidth = kTiltedBandwidth},
          .grid = {.bounds = Box{{-6, -5, -4}, {8, 9, 10}}, .dims = {{14, 13, 12}}},
          .precision = Precision::f64,
          .options = {.threads = 2}};
}

struct FoundMeans {
  MeanGridFacts facts;
  std::vector<Volume> means, deviations;
};

FoundMeans found_means(const ValuedCloud& cloud, const DensityRequest& request,
                       std::int64_t memory_limit = 0) {
  FoundMeans found;
  const auto take = [&](std::size_t column, const MeanGridFacts&, const Volume& means,
                        const Volume& deviations) {
    CHECK(column == found.means.size());
    found.means.push_back(means);
    found.deviations.push_back(deviations);
  };
  found.facts = kernel_regression_on_grid(
      make_cloud(cloud.samples.view(), nullptr), request, memory_limit, cloud.values, kColumns,
      [](const Grid&) {}, take, silent);
  return found;
}

std::vector<double> centres_of(const Grid& grid) {
  std::vector<double> centres;
  for (const auto& [i, j, k] : cells_of(grid.dims)) {
    const Vec3 centre = grid.centre(i, j, k);
    centres.insert(centres.end(), {centre.x, centre.y, centre.z});
  }
  return centres;
}

constexpr double kMiddles[kColumns] = {0, 5, 1e6};  // the values of a column differ by at most 2

/// Returns the weight of each sample at a place; for Gaussians its share of the sum.
std::vector<double> parts_at(Vec3 x, const Samples& samples, KernelFunction function) {
  if (function == KernelFunction::gaussian) {
    LogReference reference(samples.view(), kTiltedBandwidth);
    const auto& shares = reference.shares(x);
    return {shares.begin(), shares.end()};
  }
  const DirectSums direct{function, kTiltedBandwidth, samples.view()};
  std::vector<double> parts;
  for (std::size_t j = 0; j < samples.size(); ++j)
    parts.push_back(samples.weights[j] * direct.pair(x, j));
  return parts;
}

/// Means on a grid, compared with direct sums.
struct ComparedMeans {
  std::uint64_t unreached = 0, thin = 0;  ///< cells that no sample reaches, or barely
  bool all_nan = true;                    ///< in the cells that no sample reaches
  double worst = 0, worst_deviation = 0;
};

ComparedMeans compared(const FoundMeans& found, const ValuedCloud& cloud, KernelFunction kernel) {
  ComparedMeans result;
  const TargetPoints points(centres_of(found.means[0].grid()));
  for (std::size_t cell = 0; cell < points.size(); ++cell) {
    const std::vector<double> parts = parts_at(points.point(cell), cloud.samples, kernel);
    const double weight = std::accumulate(parts.begin(), parts.end(), 0.0);
    result.unreached += weight > 0 ? 0 : 1;
    result.thin += weight > 0 && weight < 1e-4 ? 1 : 0;
    for (std::size_t c = 0; c < kColumns; ++c) {
      const double mean = found.means[c].values<double>()[cell],
                   deviation = found.deviations[c].values<double>()[cell];
      if (!(weight > 0)) {
        result.all_nan = result.all_nan && std::isnan(mean) && std::isnan(deviation);
        continue;
      }
      double expected = 0, squares = 0;
      for (std::size_t j = 0; j < parts.size(); ++j)
        expected += parts[j] / weight * (cloud.values[j * kColumns + c] - kMiddles[c]);
      for (std::size_t j = 0; j < parts.size(); ++j)
        squares += parts[j] / weight *
                   std::pow(cloud.values[j * kColumns + c] - kMiddles[c] - expected, 2);
      result.worst = std::max(result.worst, std::abs(mean - kMiddles[c] - expected));
      result.worst_deviation =
          std::max(result.worst_deviation, std::abs(deviation - std::sqrt(squares)));
    }
  }
  return result;
}

}  // namespace

TEST_CASE("means on a grid are those of the kernels' weights in every cell", "[means]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const bool shaped : {false, true}) {
      const ValuedCloud cloud = cloud_of(11, shaped);
      const FoundMeans found = found_means(cloud, means_request(kernel));
      REQUIRE(found.means.size() == kColumns);
      const ComparedMeans means = compared(found, cloud, kernel);
      INFO(kernel->name << (shaped ? ", widths" : ""));
      const bool ends = kernel->is_bounded();
      CHECK(means.all_nan);
      CHECK((means.unreached > 100) == ends);
      if (ends)
        CHECK(means.thin > 10);  // cells that the tails of sums miss
      else
        CHECK(found.facts.resummed > 1000);
      CHECK(found.facts.unreached == means.unreached);
      CHECK(means.worst < 1e-7);
      CHECK(means.worst_deviation < 1e-5);
    }
}

TEST_CASE("means of Gaussians are as good in a box on the cloud's flank, whose peak is elsewhere",
          "[means]") {
  for (const bool shaped : {false, true})
    for (const double nearest : {6.5, 8.5, 10.5}) {
      const ValuedCloud cloud = cloud_of(14, shaped);
      DensityRequest request = means_request(KernelFunction::gaussian);
      request.grid.bounds = Box{{nearest, 0, 0}, {nearest + 5, 8, 8}};
      const ComparedMeans means =
          compared(found_means(cloud, request), cloud, KernelFunction::gaussian);
      INFO("from x = " << nearest << (shaped ? ", widths" : ""));
      CHECK(means.worst < 1e-7);
      CHECK(means.worst_deviation < 1e-5);
    }
}

TEST_CASE("means on a grid have boundaries and widths as those at points", "[means]") {
  for (const Boundary boundary : {Boundary::reflect, Boundary::periodic, Boundary::renormalize})
    for (const std::optional<double> adaptive : {std::optional<double>(), std::optional(0.5)}) {
      const ValuedCloud cloud = cloud_of(12, false, 0.5);
      DensityRequest request = means_request(KernelFunction::biweight);
      request.boundaries = {boundary, Boundary::none, boundary};
      request.adaptive = adaptive;
      request.grid.bounds = Box{{-1, -2, 1}, {3, 5, 5}};
      const FoundMeans found = found_means(cloud, request);
      Session session = session_with(cloud.samples.view());
      const KernelRegression expected =
          kernel_regression(session, request, TargetPoints(centres_of(found.means[0].grid())),
                            cloud.values, kColumns, silent);
      CHECK(found.facts.unreached == expected.unreached);
      double worst = 0, worst_deviation = 0;
      for (std::size_t i = 0; i < expected.means.size(); ++i) {
        if (std::isnan(expected.means[i])) continue;
        const std::size_t c = i % kColumns, cell = i / kColumns;
        worst =
            std::max(worst, std::abs(found.means[c].values<double>()[cell] - expected.means[i]));
        worst_deviation =
            std::max(worst_deviation,
                     std::abs(found.deviations[c].values<double>()[cell] - expected.deviations[i]));
      }
      INFO(word_of(kBoundaries, boundary) << (adaptive ? ", adaptive" : ""));
      CHECK(worst < 1e-7);
      CHECK(worst_deviation < 1e-5);
    }
}

TEST_CASE("means on a grid that cannot be are told", "[means]") {
  ValuedCloud cloud = cloud_of(13, false);
  DensityRequest request = means_request(KernelFunction::epanechnikov);
  const auto error = [&](std::int64_t limit = 0) {
    return thrown_error([&] { found_means(cloud, request, limit); });
  };
  CHECK(error(1000).kind() == ErrorKind::resources);
  request.precision = Precision::f32;
  std::vector<Warning> warnings = found_means(cloud, request).facts.facts.warnings;
  std::erase_if(warnings, [](const Warning& w) { return w.kind != "rounded_means"; });
  REQUIRE(warnings.size() == 1);  // for the column near 1e6
  CHECK(warnings[0].problem.find("that differ by 2") != std::string::npos);
  cloud.values[3] = 1e300;
  CHECK(error().parameter() == "precision");
  cloud.values[3] = NAN;
  CHECK(error().problem().find("sample 1 (from 0)") != std::string::npos);
  cloud.values.pop_back();
  CHECK(error().parameter() == "value");
}
