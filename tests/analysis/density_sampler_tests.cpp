#include "analysis/density_sampler.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

#include "analysis/held_out_samples.hpp"
#include "estimate/session.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/opened_sessions.hpp"
#include "support/thrown_error.hpp"

namespace skde {
namespace {

using test::gaussian_cloud;
using test::says;
using test::thrown_error;

DensitySampler sampler_of(const Samples& cloud, const DensityRequest& request,
                          std::uint64_t seed = 1) {
  NoProgress silent;
  return {make_cloud(cloud.view(), nullptr), request, seed, silent};
}

/// Returns the largest distance between the empirical distribution of these values and `law`.
double kolmogorov_smirnov(std::vector<double> values, const std::function<double(double)>& law) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = law(values[i]), rank = static_cast<double>(i);
    distance = std::max({distance, expected - rank / n, (rank + 1) / n - expected});
  }
  return distance;
}

/// Critical value of that distance at a significance of 0.001.
double most_distance(std::size_t n) { return 1.95 / std::sqrt(static_cast<double>(n)); }

/// The mass of (1 - q)^p, exp(-q/2) or of a profile of the root of q within a radius: a table by
/// the trapezoidal rule.
class RadialLaw {
 public:
  explicit RadialLaw(const std::string& kernel)
      : end_(kernel == "gaussian"      ? 12
             : kernel == "exponential" ? 50
                                       : 1) {
    static const std::map<std::string, int> kPowers{
        {"uniform", 0}, {"epanechnikov", 1}, {"biweight", 2}, {"triweight", 3}};
    const auto shell = [&](double r) {
      const double q = r * r;
      if (kernel == "gaussian") return q * std::exp(-q / 2);
      if (kernel == "exponential") return q * std::exp(-r);
      if (kernel == "linear") return q * (1 - r);
      if (kernel == "cosine") return q * std::cos(std::numbers::pi / 2 * r);
      if (kernel == "cubic-spline")
        return q * (r < 0.5 ? 1 - 6 * q + 6 * q * r : 2 * std::pow(1 - r, 3));
      if (kernel == "wendland-c2") return q * std::pow(1 - r, 4) * (1 + 4 * r);
      return q * std::pow(1 - q, kPowers.at(kernel));
    };
    for (std::size_t i = 1; i < within_.size(); ++i)
      within_[i] = within_[i - 1] + shell(radius(i - 1)) + shell(radius(i));
  }

  double operator()(double r) const {
    const double at = std::min(r / end_, 1.0) * static_cast<double>(within_.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), within_.size() - 2);
    return std::lerp(within_[i], within_[i + 1], at - static_cast<double>(i)) / within_.back();
  }

 private:
  double radius(std::size_t i) const {
    return end_ * static_cast<double>(i) / static_cast<double>(within_.size() - 1);
  }

  double end_;
  std::vector<double> within_ = std::vector<double>(20001);
};

Samples one_sample() { return {.xyz = {1e3, -2, 5}}; }

/// Returns the share of the weight that lies between the closed faces of the box.
double kept_share(const Samples& cloud, const DensityRequest& request) {
  double kept = 0, all = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    bool between = true;
    for (int axis = 0; axis < 3; ++axis) {
      const Boundary boundary = request.boundaries[static_cast<std::size_t>(axis)];
      const double x = cloud.view().point(i)[axis];
      if (boundary == Boundary::reflect || boundary == Boundary::renormalize)
        between = between && x >= request.grid.bounds->lower[axis] &&
                  x <= request.grid.bounds->upper[axis];
    }
    all += cloud.view().weight(i);
    if (between) kept += cloud.view().weight(i);
  }
  return kept / all;
}

/// Returns chi-squared of draws against the mass of the density in 6^3 parts of its box and
/// outside.
double chi_squared(const Samples& cloud, DensityRequest request, std::size_t draws) {
  constexpr std::int64_t kParts = 6, kCells = 8;  // parts and cells along an axis, cells per part
  request.grid.dims = {kParts * kCells, kParts * kCells, kParts * kCells};
  request.precision = Precision::f64;
  request.tolerance = request.kernel == KernelFunction::gaussian ? 1e-9 : 0;
  Density density = test::session_with(cloud).compute(request);
  const Volume& volume = density.volume();
  const Grid& grid = volume.grid();
  std::vector<double> expected(kParts * kParts * kParts + 1), found(expected.size());
  const auto part = [&](const std::array<std::int64_t, 3>& c) {
    return static_cast<std::size_t>((c[2] / kCells * kParts + c[1] / kCells) * kParts +
                                    c[0] / kCells);
  };
  double inside = 0;
  for (const auto& [i, j, k] : cells_of(grid.dims)) {
    const double mass = volume.at(i, j, k) * grid.cell_volume();
    expected[part({i, j, k})] += mass;
    inside += mass;
  }
  // The density is normalised by all samples, but samples beyond a closed face are never drawn.
  const double kept = kept_share(cloud, request);
  expected.back() = std::max(0.0, kept - inside);
  for (double& mass : expected) mass /= kept;
  const Samples drawn = sampler_of(cloud, request, 5).draw(0, draws);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto cell = grid.cell_at(drawn.view().point(i));
    ++found[cell ? part(*cell) : expected.size() - 1];
  }
  double sum = 0, rare = 0, rare_found = 0;  // parts with few draws are pooled
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double mean = expected[i] * static_cast<double>(draws);
    if (mean < 20) {
      rare += mean;
      rare_found += found[i];
    } else {
      sum += (found[i] - mean) * (found[i] - mean) / mean;
    }
  }
  return sum + (rare > 5          ? (rare_found - rare) * (rare_found - rare) / rare
                : rare_found > 30 ? 1e9
                                  : 0);
}

/// For at most 217 parts; one case in a million exceeds it.
constexpr double kMostChiSquared = 320;

DensityRequest request_of(KernelFunction kernel) {
  DensityRequest request;
  request.kernel = kernel;
  request.bandwidth.bandwidth = kernel == KernelFunction::gaussian ? 0.5 : 1.2;
  request.grid.bounds = Box{{-3, -2.5, -2.2}, {2.5, 3.1, 3}};
  request.device = Device::cpu;
  return request;
}

}  // namespace

TEST_CASE("Draws of every kernel lie as its mass does, in every direction alike") {
  constexpr std::uint64_t kDraws = 200000;
  for (const KernelFunction kernel : kKernelFunctions) {
    const std::string name(kernel->name);
    INFO(name);
    const CounterRandom random(9, 1);
    std::vector<double> radii, heights;
    double largest = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      Draws draws = random.at(i);
      const Vec3 place = kernel->draw(draws);
      radii.push_back(std::sqrt(place.x * place.x + place.y * place.y + place.z * place.z));
      largest = std::max(largest, radii.back());
      heights.push_back(place.z / radii.back());  // uniform in [-1, 1] on a sphere
    }
    if (kernel->is_bounded()) CHECK(largest <= 1);
    CHECK(kolmogorov_smirnov(radii, RadialLaw(name)) < most_distance(kDraws));
    CHECK(kolmogorov_smirnov(heights, [](double u) { return (u + 1) / 2; }) <
          most_distance(kDraws));
  }
}

TEST_CASE("Draws have the moments of the kernel and its bandwidth matrix") {
  constexpr std::uint64_t kDraws = 400000;
  const Symmetric3 H{4, 1.5, -0.6, 2, 0.3, 0.5};
  for (const KernelFunction kernel : kKernelFunctions) {
    INFO(kernel->name);
    DensityRequest request{.kernel = kernel, .bandwidth = {.bandwidth = H}};
    const Samples drawn = sampler_of(one_sample(), request).draw(0, kDraws);
    Moments moments;
    moments.add(drawn.view());
    const double spread = 4 / std::sqrt(static_cast<double>(kDraws));
    for (int i = 0; i < 3; ++i) {
      const double deviation = std::sqrt(H(i, i) * kernel->variance);
      CHECK(std::abs(moments.mean()[i] - one_sample().view().point(0)[i]) < spread * deviation);
      for (int j = 0; j < 3; ++j)
        CHECK(std::abs(moments.covariance()(i, j) - kernel->variance * H(i, j)) <
              2 * spread * kernel->variance * std::sqrt(H(i, i) * H(j, j)));
    }
  }
}

TEST_CASE("Samples are drawn by their weights") {
  Samples cloud;
  constexpr std::size_t kSamples = 20;
  double sum = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    cloud.xyz.insert(cloud.xyz.end(), {static_cast<double>(i), 0, 0});
    cloud.weights.push_back(i == 7 ? 0 : 1 + static_cast<double>(i * i % 11));
    sum += cloud.weights.back();
  }
  DensityRequest request{.bandwidth = {.bandwidth = Vec3{0.1, 0.1, 0.1}}};
  constexpr std::uint64_t kDraws = 100000;
  for (const bool weighted : {true, false}) {
    if (!weighted) {
      cloud.weights.clear();
      sum = kSamples;
    }
    const Samples drawn = sampler_of(cloud, request).draw(0, kDraws);
    std::vector<double> found(kSamples);
    for (std::size_t i = 0; i < kDraws; ++i)
      ++found[static_cast<std::size_t>(std::lround(drawn.xyz[3 * i]))];
    double chi = 0;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double mean = kDraws * cloud.view().weight(i) / sum;
      if (mean == 0)
        CHECK(found[i] == 0);
      else
        chi += (found[i] - mean) * (found[i] - mean) / mean;
    }
    CHECK(chi < 43.8);  // 19 degrees of freedom, significance 0.001
  }
}

TEST_CASE("Draws follow the density of the cloud, for every kernel") {
  const Samples cloud = gaussian_cloud(300, true);
  for (const KernelFunction kernel : kKernelFunctions) {
    INFO(kernel->name);
    CHECK(chi_squared(cloud, request_of(kernel), 100000) < kMostChiSquared);
  }
}

TEST_CASE("Draws follow densities with boundaries, which keep them in the box") {
  const Samples cloud = gaussian_cloud(300, true);
  for (const KernelFunction kernel : {KernelFunction::biweight, KernelFunction::gaussian})
    for (const Boundaries& boundaries :
         {Boundaries{Boundary::reflect, Boundary::reflect, Boundary::reflect},
          Boundaries{Boundary::periodic, Boundary::periodic, Boundary::periodic},
          Boundaries{Boundary::renormalize, Boundary::renormalize, Boundary::renormalize},
          Boundaries{Boundary::renormalize, Boundary::periodic, Boundary::reflect},
          Boundaries{Boundary::none, Boundary::reflect, Boundary::none}}) {
      INFO(kernel->name << ", " << boundaries_text(boundaries));
      DensityRequest request = request_of(kernel);
      request.boundaries = boundaries;
      CHECK(chi_squared(cloud, request, 100000) < kMostChiSquared);
      if (boundaries[0] == Boundary::none) continue;
      const Samples drawn = sampler_of(cloud, request).draw(0, 10000);
      for (std::size_t i = 0; i < drawn.size(); ++i)
        for (int axis = 0; axis < 3; ++axis) {
          CHECK(drawn.view().point(i)[axis] >= request.grid.bounds->lower[axis]);
          CHECK(drawn.view().point(i)[axis] <= request.grid.bounds->upper[axis]);
        }
    }
}

TEST_CASE("Draws follow densities of widths, shapes and widths that adapt") {
  DensityRequest request = request_of(KernelFunction::biweight);
  request.min_width = 0;
  Samples widths = gaussian_cloud(200), shapes = widths;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double w = 0.6 + 0.1 * static_cast<double>(i % 7);
    widths.bandwidth_factors.push_back(w);
    for (const double value : {3 * w, 0.8 * w, -0.5 * w, 2.0, 0.3, 1.5 + w})
      shapes.shapes.push_back(value);
  }
  CHECK(chi_squared(widths, request, 100000) < kMostChiSquared);
  CHECK(chi_squared(shapes, request, 100000) < kMostChiSquared);
  DensityRequest adaptive = request;
  adaptive.adaptive = 0.5;
  CHECK(chi_squared(gaussian_cloud(200), adaptive, 100000) < kMostChiSquared);
  CHECK(says(thrown_error([&] { sampler_of(widths, adaptive); }), "cannot also be adaptive"));
  DensityRequest sharpened = request;
  sharpened.sharpen = true;
  for (const Boundary boundary : {Boundary::none, Boundary::reflect}) {
    sharpened.boundaries.fill(boundary);
    CHECK(chi_squared(gaussian_cloud(200), sharpened, 100000) < kMostChiSquared);
  }
  CHECK(thrown_error([&] { sampler_of(widths, sharpened); }).parameter() == "sharpen");
}

TEST_CASE("A draw depends on seed and number alone") {
  const Samples cloud = gaussian_cloud(100, true);
  const DensitySampler sampler = sampler_of(cloud, request_of(KernelFunction::epanechnikov), 42);
  const int threads = omp_get_max_threads();
  const Samples all = sampler.draw(0, 5000);
  omp_set_num_threads(1);
  const Samples alone = sampler.draw(0, 5000);
  omp_set_num_threads(7);
  const Samples crowded = sampler.draw(0, 5000);
  omp_set_num_threads(threads);
  CHECK(all.xyz == alone.xyz);
  CHECK(all.xyz == crowded.xyz);
  const Samples some = sampler.draw(1234, 100);
  CHECK(std::equal(some.xyz.begin(), some.xyz.end(), all.xyz.begin() + 3 * 1234));
  CHECK(sampler_of(cloud, request_of(KernelFunction::epanechnikov), 43).draw(0, 5000).xyz !=
        all.xyz);
}

TEST_CASE("Samples beyond faces that end the box are left out, and a box without any is refused") {
  const Samples cloud = gaussian_cloud(300);
  DensityRequest request = request_of(KernelFunction::epanechnikov);
  request.boundaries.fill(Boundary::reflect);
  request.grid.bounds = Box{{0, 0, 0}, {1, 1, 1}};
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (const double x = cloud.view().point(i)[axis]; x < 0 || x > 1) {
        ++beyond;
        break;
      }
  CHECK(sampler_of(cloud, request).left_out() == beyond);
  request.grid.bounds = Box{{50, 50, 50}, {51, 51, 51}};
  CHECK(thrown_error([&] { sampler_of(cloud, request); }).kind() == ErrorKind::input);
}

}  // namespace skde

namespace skde {
namespace {

using test::gaussian_cloud;

TEST_CASE("a share of the samples is held out, each sample once") {
  Samples cloud = gaussian_cloud(20000);
  for (std::size_t i = 0; i < cloud.size(); ++i) cloud.weights.push_back(static_cast<double>(i));
  const SplitSamples split = hold_out(cloud.view(), 0.2, 7);
  const double deviation = std::sqrt(20000 * 0.2 * 0.8);
  CHECK(std::abs(static_cast<double>(split.held_out.size()) - 4000) < 5 * deviation);
  REQUIRE(split.kept.size() + split.held_out.size() == cloud.size());
  std::size_t kept = 0, held_out = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const bool is_kept =
        kept < split.kept.size() && split.kept.weights[kept] == static_cast<double>(i);
    const Samples& from = is_kept ? split.kept : split.held_out;
    const std::size_t at = is_kept ? kept++ : held_out++;
    REQUIRE(from.weights.at(at) == static_cast<double>(i));
    REQUIRE(from.view().point(at) == cloud.view().point(i));
  }
  const SplitSamples again = hold_out(cloud.view(), 0.2, 7), other = hold_out(cloud.view(), 0.2, 8);
  CHECK(again.held_out.xyz == split.held_out.xyz);
  CHECK(other.held_out.xyz != split.held_out.xyz);
}

TEST_CASE("the divergence on samples is a mean by weight where both densities are known") {
  const double none = -std::numeric_limits<double>::infinity();
  const std::vector<double> logs{std::log(2.0), std::log(3.0), none, std::log(5.0)};
  const std::vector<double> model{0, std::log(6.0), 0, none}, weights{1, 3, 9, 9};
  const SampledDivergence weighted = sampled_divergence(logs, model, weights);
  CHECK(weighted.value == Approx((std::log(2.0) - 3 * std::log(2.0)) / 4));
  CHECK(weighted.samples == 4);
  CHECK(weighted.undefined == 2);
  CHECK(sampled_divergence(logs, model, {}).value == Approx(0).margin(1e-15));
  CHECK(sampled_divergence({}, {}, {}).value == 0);
}

}  // namespace
}  // namespace skde
