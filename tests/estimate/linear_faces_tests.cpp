// Faces at which values are corrected for the slope of the density.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "estimate/plan/sums_plan.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/memory_plan.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// A kernel along one axis with deviation 1, not normalised: the Gaussian, or Epanechnikov's,
/// whose marginal is (1 - u^2 / 7)^2.
double along(KernelFunction kernel, double u) {
  if (kernel == KernelFunction::gaussian) return std::exp(-u * u / 2);
  return u * u < 7 ? (1 - u * u / 7) * (1 - u * u / 7) : 0;
}

double folded(double place, double extent) { return std::abs(std::remainder(place, 2 * extent)); }

/// Integrals over a kernel at `at`, in deviations: of exp(tilt x), of exp(tilt |x|), and the mean
/// and the variance of |x| under the latter, where | | folds places between the faces.
struct Tilted {
  double open = 0, folded = 0, mean = 0, variance = 0;
};
Tilted tilted(KernelFunction kernel, double at, double extent, double tilt) {
  constexpr int kSteps = 800;
  constexpr double kReach = 6;
  Tilted sums;
  for (int i = 0; i < kSteps; ++i) {
    const double u = kReach * (2 * (i + 0.5) / kSteps - 1), k = along(kernel, u);
    const double place = folded(at + u, extent), grown = k * std::exp(tilt * (place - at));
    sums.open += k * std::exp(tilt * u);
    sums.folded += grown;
    sums.mean += grown * place;
    sums.variance += grown * place * place;
  }
  sums.mean /= sums.folded;
  sums.variance = sums.variance / sums.folded - sums.mean * sums.mean;
  return sums;
}

double factor_of(KernelFunction kernel, double at, double extent, double mean, double seen) {
  double low = -1, high = 1;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (tilted(kernel, at, extent, middle).mean < mean ? low : high) = middle;
  }
  const double known = seen * tilted(kernel, at, extent, 0).variance / 4;
  const Tilted at_slope = tilted(kernel, at, extent, low * known / (known + 1));
  return at_slope.open / at_slope.folded;
}

struct Sums {
  double value = 0;
  std::array<double, 3> mean{};  ///< distance from the lower faces
};

/// Sums over samples and their mirror images along all axes, each with the distances of the sample
/// itself. The kernels' axes are those of the box.
Sums mirrored_sums(const Samples& cloud, KernelFunction kernel, const Box& box, Vec3 width,
                   Vec3 at) {
  constexpr int kImages = 10;  // along an axis: five boxes, mirrored or not
  Sums sums;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3 from = cloud.view().point(i) - box.lower;
    for (int image = 0; image < kImages * kImages * kImages; ++image) {
      double q = 0;
      for (int a = 0, left = image; a < 3; ++a, left /= kImages) {
        const int digit = left % kImages;
        const double place =
            (digit % 2 != 0 ? -from[a] : from[a]) + 2 * box.extent()[a] * (digit / 2 - 2);
        const double shift = (at[a] - box.lower[a] - place) / width[a];
        q += shift * shift;
      }
      const double k = kernel == KernelFunction::gaussian ? std::exp(-q / 2) : std::max(0.0, 1 - q);
      sums.value += cloud.weights[i] * k;
      for (int a = 0; a < 3; ++a)
        sums.mean[static_cast<std::size_t>(a)] += cloud.weights[i] * k * from[a];
    }
  }
  for (double& mean : sums.mean) mean /= sums.value;
  return sums;
}

DensityRequest linear_request(KernelFunction kernel, Vec3 widths, const Box& box) {
  return {.kernel = kernel,
          .bandwidth = {.bandwidth = widths},
          .grid = {.bounds = box},
          .boundaries = {Boundary::linear, Boundary::linear, Boundary::linear},
          .precision = Precision::f64,
          .tolerance = 1e-10,
          .options = {.threads = 2}};
}

/// Samples at equal steps of an exponential density along x and of a uniform one along y and z.
Samples exponential_cloud(std::size_t count) {
  Samples cloud;
  for (std::size_t i = 0; i < count; ++i) {
    const double step = static_cast<double>(i) + 0.5;
    cloud.xyz.insert(cloud.xyz.end(), {-std::log(step / static_cast<double>(count)),
                                       std::fmod(step * 0.7548776662466927, 1),
                                       std::fmod(step * 0.569840290998053, 1)});
  }
  return cloud;
}

}  // namespace

TEST_CASE("Linear faces keep the slope of a density at the wall", "[boundary]") {
  DensityRequest request =
      linear_request(KernelFunction::gaussian, {0.3, 0.3, 0.3}, {{0, 0, 0}, {16, 1, 1}});
  request.grid.dims = {320, 2, 2};
  request.boundaries = {Boundary::linear, Boundary::periodic, Boundary::reflect};
  Session session = session_with(exponential_cloud(10'000));
  Density corrected = session.compute(request);
  request.boundaries[0] = Boundary::reflect;
  Density mirrored = session.compute(request);
  CHECK(corrected.metadata.boundaries[0] == Boundary::linear);
  CHECK(mirrored.at({0, 0.25, 0.25}) == Approx(0.80).margin(0.01));
  for (const double x : {0.025, 0.125, 0.325, 0.625, 1.025, 2.025}) {
    INFO("x = " << x);
    CHECK(corrected.at({x, 0.25, 0.75}) == Approx(std::exp(-x)).epsilon(0.03));
  }
  CHECK(corrected.volume().mass() == Approx(mirrored.volume().mass()).epsilon(1e-12));
  CHECK(corrected.facts().peak == corrected.volume().maximum());
}

TEST_CASE("Linear faces multiply mirrored sums by what a local slope says", "[boundary]") {
  const Box box{{-1, 2, 10}, {1, 5, 14}};
  const Vec3 widths{0.9, 1.1, 1.4};
  for (const KernelFunction kernel : {KernelFunction::gaussian, KernelFunction::epanechnikov}) {
    Random random(11);
    Samples cloud;
    add_uniform(cloud, random, box, 40);
    add_normal(cloud, random, {-0.9, 2.5, 13}, 0.4, 40);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      for (int a = 0; a < 3; ++a)
        cloud.xyz[3 * i + static_cast<std::size_t>(a)] =
            std::clamp(cloud.xyz[3 * i + static_cast<std::size_t>(a)], box.lower[a], box.upper[a]);
      cloud.weights.push_back(random.log_uniform(0.2, 5));
    }
    DensityRequest request = linear_request(kernel, widths, box);
    request.grid.dims = {5, 4, 6};
    request.normalization = Normalization::count;
    Density density = session_with(cloud).compute(request);
    const Grid& grid = density.grid();
    const bool is_gaussian = kernel == KernelFunction::gaussian;
    const double deviation = is_gaussian ? 1 : std::sqrt(1.0 / 7);
    // The integral of the kernel, whose greatest value is 1, and that of its square.
    const double whole = widths.x * widths.y * widths.z *
                         (is_gaussian ? std::pow(2 * std::numbers::pi, 1.5)
                                      : 8 * std::numbers::pi / 15),
                 square =
                     widths.x * widths.y * widths.z *
                     (is_gaussian ? std::pow(std::numbers::pi, 1.5) : 32 * std::numbers::pi / 105);
    double weight = 0, squares = 0, before = 0, after = 0;
    for (const double w : cloud.weights) weight += w, squares += w * w;
    std::vector<Sums> sums;
    for (const auto& [i, j, k] : cells_of(grid.dims)) {
      sums.push_back(mirrored_sums(cloud, kernel, box, widths, grid.centre(i, j, k)));
      before += sums.back().value;
    }
    std::vector<double> expected;
    std::size_t cell = 0;
    for (const auto& [i, j, k] : cells_of(grid.dims)) {
      const Sums& own = sums[cell++];
      const double seen = own.value * weight / squares * whole / square;
      double value = own.value;
      for (int a = 0; a < 3; ++a) {
        const double unit = deviation * widths[a];
        value *=
            factor_of(kernel, (grid.centre(i, j, k)[a] - box.lower[a]) / unit,
                      box.extent()[a] / unit, own.mean[static_cast<std::size_t>(a)] / unit, seen);
      }
      expected.push_back(value);
      after += value;
    }
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double right = expected[i] * before / after / whole;
      worst = std::max(worst, std::abs(density.volume().values<double>()[i] / right - 1));
    }
    INFO(kernel->name);
    CHECK(worst < 1e-3);
  }
}

TEST_CASE("Linear faces stay positive where all samples lie on a wall, or none", "[boundary]") {
  Samples cloud;
  Random random(3);
  add_uniform(cloud, random, {{0, 0, 0}, {1, 1, 1}}, 200);
  const auto flat = GENERATE(0.0, 1.0, -1.0);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.xyz[3 * i] = flat >= 0 ? flat : 0.4 + 0.6 * cloud.xyz[3 * i];
  DensityRequest request =
      linear_request(KernelFunction::epanechnikov, {0.5, 0.5, 0.5}, {{0, 0, 0}, {1, 1, 1}});
  request.grid.dims = {16, 8, 8};
  request.precision = Precision::f32;
  Density density = session_with(cloud).compute(request);
  for (const float value : density.volume().values<float>())
    CHECK((std::isfinite(value) && value >= 0));
  CHECK(density.volume().mass() == Approx(1).epsilon(0.05));
}

TEST_CASE("Linear faces are refused where no volume is summed as a whole", "[boundary]") {
  Samples cloud = exponential_cloud(100);
  const DensityRequest request =
      linear_request(KernelFunction::gaussian, {0.3, 0.3, 0.3}, {{0, 0, 0}, {16, 1, 1}});
  Session session = session_with(cloud);
  const auto said = [&](const auto& work) { return thrown_error(work).problem(); };
  CHECK(said([&] {
          session.evaluate(request, TargetPoints({1, 0.5, 0.5}), {}, silent);
        }).find("values at points") != std::string::npos);
  DensityRequest both = request;
  both.sharpen = true;
  CHECK(said([&] { session.compute(both); }).find("sharpened") != std::string::npos);
  both.sharpen = false;
  both.adaptive = 0.5;
  CHECK(said([&] { session.compute(both); }).find("of their own") != std::string::npos);
  SumsRequest sums;
  sums.density = request;
  CHECK(said([&] { plan_sums({}, sums); }).find("parts, windows and ranks") != std::string::npos);
  SessionOptions small;  // images of samples take 17 MiB
  small.memory_limit = std::int64_t{197} << 20;
  Session narrow(small);
  narrow.open(cloud);
  DensityRequest large = request;
  large.grid.dims = {128, 128, 128};  // 16 MiB of doubles, three times
  CHECK(said([&] { narrow.compute(large); }).find("whole volume") != std::string::npos);
}
