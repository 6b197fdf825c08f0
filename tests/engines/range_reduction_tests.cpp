// Sums over ranges of samples, compared with sums over all samples in double.

#include "engines/cpu/ranges/range_reduction.hpp"

#include <cmath>

#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/references/direct_sums.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

constexpr double kCut = 1e-13;  // tolerance of a Gaussian's cut

enum class Form { common, factors, shapes };
constexpr Form kForms[] = {Form::common, Form::factors, Form::shapes};

/// Two clumps, samples spread around them, and one sample far away.
Samples clumps(std::uint64_t seed, Form form, double size) {
  Random random(seed);
  Samples cloud;
  add_normal(cloud, random, {1e4, 20, -3}, 0.5, 150);
  add_normal(cloud, random, {1e4 + 4, 22, -1}, 1.5, 100);
  add_uniform(cloud, random, {{1e4 - 3, 16, -6}, {1e4 + 7, 26, 3}}, 90);
  cloud.xyz.insert(cloud.xyz.end(), {1e4 - 4e3, 20, 700});
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (form == Form::factors) cloud.bandwidth_factors.push_back(random.log_uniform(0.3, 3));
    if (form != Form::shapes) continue;
    const Symmetric3 m =
        random_rotated(seed + i, {size * random.log_uniform(0.3, 2), size * 0.8, size * 0.5});
    cloud.shapes.insert(cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  return cloud;
}

std::vector<double> points_about(std::uint64_t seed) {
  Random random(seed);
  Samples at;
  add_uniform(at, random, {{1e4 - 5, 14, -8}, {1e4 + 9, 28, 5}}, 201);
  add_normal(at, random, {1e4 + 4, 22, -1}, 1, 130);
  add_normal(at, random, {1e4, 20, -3}, 0.3, 90);
  return at.xyz;
}

std::vector<double> numbers(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform(-1, 2);
  return values;
}

Vec3 point_of(const std::vector<double>& points, std::size_t i) {
  return {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}

}  // namespace

TEST_CASE("a reduction sums all kernels that reach a point, in every channel", "[ranges]") {
  for (const KernelFunction function : kKernelFunctions)
    for (const Form form : kForms)
      for (const double size : {0.25, 1.0, 30.0}) {
        const Samples cloud = clumps(3, form, size);
        const Kernel kernel{function, (size * size) * kTiltedBandwidth, kCut};
        const std::vector<double> points = points_about(4);
        const DirectSums direct{function, kernel.H, cloud.view()};
        const RangeReduction reduction(kernel, cloud.view(), 2);
        std::vector<std::vector<double>> weights, expected;
        for (std::uint64_t c = 0; c < 8; ++c) {
          weights.push_back(numbers(5 + c, cloud.size()));
          expected.emplace_back();
          for (std::size_t i = 0; i < points.size() / 3 && (c == 0 || c == 2 || c == 7); ++i)
            expected[c].push_back(direct.at(point_of(points, i), weights[c]));
        }
        for (const std::size_t channels : {1, 3, 8}) {
          INFO(function->name << ", form " << static_cast<int>(form) << ", size " << size << ", "
                              << channels << " channels");
          std::vector<double> b(cloud.size() * channels);
          for (std::size_t i = 0; i < b.size(); ++i) b[i] = weights[i % channels][i / channels];
          const std::vector<double> sums = reduction.reduce(points, b, channels, silent);
          REQUIRE(sums.size() == points.size() / 3 * channels);
          for (std::size_t c = 0; c < channels; ++c) {
            double worst = 0, most = 0;
            for (std::size_t i = 0; i < expected[c].size(); ++i) {
              worst = std::max(worst, std::abs(sums[i * channels + c] - expected[c][i]));
              most = std::max(most, std::abs(expected[c][i]));
            }
            CHECK(worst <= 1e-11 * most);
            CHECK((most > 0 || expected[c].empty()));
          }
          CHECK(RangeReduction(kernel, cloud.view(), 1).reduce(points, b, channels, silent) ==
                sums);
        }
      }
}

TEST_CASE("float sums are within their digits of the largest", "[ranges]") {
  for (const KernelFunction function : kKernelFunctions)
    for (const double size : {0.02, 1.0}) {  // also kernels with few points in reach
      const Samples cloud = clumps(3, Form::common, 1);
      const Kernel kernel{function, (size * size) * kTiltedBandwidth, kCut};
      std::vector<double> points = points_about(4);
      points.insert(points.end(), cloud.xyz.begin() + 3, cloud.xyz.begin() + 300);
      for (double& place : points) place += 0.003;
      const RangeReduction reduction(kernel, cloud.view(), 2);
      std::vector<double> b(cloud.size(), 1e-60);  // too small for float
      const std::vector<double> exact = reduction.reduce(points, b, 1, silent),
                                rounded = reduction.reduce(points, b, 1, silent, "accumulate",
                                                           Precision::f32);
      double worst = 0, most = 0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        worst = std::max(worst, std::abs(exact[i] - rounded[i]));
        most = std::max(most, exact[i]);
      }
      INFO(function->name << " of size " << size << ": " << worst / most);
      CHECK(most > 0);
      CHECK(worst < 1e-6 * most);
      CHECK((worst > 0 || function == KernelFunction::uniform));
    }
}

TEST_CASE("float sums keep the places of points that few others are near to", "[ranges]") {
  // Fewer points than a block holds, each a kernel's width from its sample and a hundred widths
  // from the others.
  constexpr std::size_t kClumps = 40;
  Random random(21);
  Samples cloud, at;
  for (std::size_t i = 0; i < kClumps; ++i) {
    const Vec3 centre{100.0 * static_cast<double>(i), 70.0 * static_cast<double>(i % 7), 0};
    add_normal(cloud, random, centre, 0.1, 1);
    add_normal(at, random, centre, 0.3, 1);
  }
  for (const KernelFunction function : {KernelFunction::epanechnikov, KernelFunction::gaussian}) {
    const Kernel kernel{function, Symmetric3::diagonal(1, 1, 1), kCut};
    const DirectSums direct{function, kernel.H, cloud.view()};
    const std::vector<double> b(cloud.size(), 1.0);
    const std::vector<double> sums =
        RangeReduction(kernel, cloud.view(), 1)
            .reduce(at.xyz, b, 1, silent, "accumulate", Precision::f32);
    const double peak = direct.pair(cloud.view().point(0), 0);
    for (std::size_t i = 0; i < kClumps; ++i)
      CHECK(std::abs(sums[i] - direct.at(at.view().point(i), b)) < 1e-6 * peak);
  }
}

TEST_CASE("ranges that a caller gives are the pairs that count", "[ranges]") {
  const Samples cloud = clumps(9, Form::common, 1);
  const Kernel kernel{KernelFunction::biweight, 9.0 * kTiltedBandwidth};
  const std::vector<double> points = points_about(10);
  const DirectSums direct{kernel.function, kernel.H, cloud.view()};
  const BlockRanges ranges{{{2, 100}, {{0, 3}, {50, 90}, {60, 70}}},  // some samples twice
                           {{100, 101}, {}},
                           {{150, 421}, {{90, 341}}}};
  const RangeReduction reduction(kernel, cloud.view(), ranges, 2);
  const auto times = [&](std::size_t i, std::size_t j) {
    int count = 0;
    for (const TargetBlock& block : ranges)
      for (const SampleRange& range : block.sources)
        if (i >= block.targets.first && i < block.targets.last && j >= range.first &&
            j < range.last)
          ++count;
    return count;
  };
  const std::vector<double> b = numbers(11, cloud.size());
  const std::vector<double> sums = reduction.reduce(points, b, 1, silent);
  std::vector<double> expected(sums.size(), 0.0);
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::size_t j = 0; j < cloud.size(); ++j)
      expected[i] += times(i, j) * direct.pair(point_of(points, i), j) * b[j];
  for (std::size_t i = 0; i < sums.size(); ++i)
    CHECK(sums[i] == Approx(expected[i]).epsilon(1e-9).margin(1e-9));
}

TEST_CASE("gradients are those of the kernels", "[ranges]") {
  for (const KernelFunction function : kKernelFunctions)
    for (const Form form : kForms) {
      const Samples cloud = clumps(3, form, 1);
      const Kernel kernel{function, kTiltedBandwidth, kCut};
      const std::vector<double> points = points_about(4), b = numbers(13, cloud.size());
      const RangeReduction reduction(kernel, cloud.view(), 2);
      if (!function->slope) {
        CHECK(function != KernelFunction::gaussian);
        CHECK(thrown_error([&] { reduction.gradients(points, b, silent); }).parameter() ==
              "kernel");
        continue;
      }
      const std::vector<double> found = reduction.gradients(points, b, silent);
      const DirectSums direct{function, kernel.H, cloud.view()};
      double worst = 0, most = 0;
      for (std::size_t i = 0; i < points.size() / 3; ++i) {
        const auto expected = direct.gradient(point_of(points, i), b);
        for (std::size_t a = 0; a < 3; ++a) {
          worst = std::max(worst, std::abs(found[3 * i + a] - expected[a]));
          most = std::max(most, std::abs(expected[a]));
        }
      }
      INFO(function->name << ", form " << static_cast<int>(form));
      CHECK(most > 0);
      CHECK(worst <= 1e-10 * most);
    }
}

TEST_CASE("a reduction says what does not match", "[ranges]") {
  const Samples cloud = clumps(3, Form::common, 1);
  const std::vector<double> points = points_about(4), b(cloud.size(), 1.0);
  const Kernel kernel{KernelFunction::epanechnikov, kTiltedBandwidth};
  const RangeReduction reduction(kernel, cloud.view(), 1);
  const auto why = [&](const BlockRanges& ranges) {
    return thrown_error([&] {
             RangeReduction(kernel, cloud.view(), ranges, 1).reduce(points, b, 1, silent);
           })
        .parameter();
  };
  CHECK(thrown_error([&] { reduction.reduce(points, b, 2, silent); }).parameter() == "channels");
  CHECK(thrown_error([&] { reduction.reduce(points, {}, 0, silent); }).parameter() == "channels");
  CHECK(why({{{0, 1000}, {}}}) == "ranges");
  CHECK(why({{{0, 5}, {{3, 1000}}}}) == "ranges");
  CHECK(why({{{0, 5}, {{3, 2}}}}) == "ranges");
  CHECK(why({{{0, 5}, {}}, {{4, 6}, {}}}) == "ranges");
  CHECK(reduction.reduce({}, b, 1, silent).empty());
  const Samples none;
  const std::vector<double> zeros =
      RangeReduction(kernel, none.view(), 1).reduce(points, {}, 1, silent);
  CHECK(zeros == std::vector<double>(points.size() / 3, 0.0));
}
