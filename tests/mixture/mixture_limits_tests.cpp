#include "core/report/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "core/mixture/member.hpp"
#include "mixture/known_mixture.hpp"
#include "mixture/member_control.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/thrown_error.hpp"

// Fits at their limits: kernels below a cell, kernels of the samples' own, far places, other units.

namespace skde::test {

TEST_CASE("Expectation-maximisation adds the kernels that samples have of their own") {
  // Two groups far apart, whose samples have kernels of variance 4 and 1.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 0.5);
  std::vector<double> xyz, kernels;
  for (int i = 0; i < 400; ++i) {
    const bool right = i % 2 == 1;
    xyz.insert(xyz.end(), {(right ? 20 : 0) + normal(random), normal(random), normal(random)});
    const double variance = right ? 1 : 4;
    kernels.insert(kernels.end(), {variance, 0, 0, variance, right ? 0.2 : 0, variance});
  }
  const Grid grid{{-8, -8, -8}, {1, 1, 1}, {36, 16, 16}};
  const Volume volume(grid, std::vector<double>(static_cast<std::size_t>(grid.cells()), 1.0));
  FitInput input{&volume, {xyz}};
  CHECK(thrown_error([&] {
          fit_mixture(input, spec_of(2, 20, FitLoss::likelihood), no_progress);
        }).kind() == ErrorKind::unsupported);
  input.own_kernels = kernels;
  const MixtureFit fit = fit_mixture(input, spec_of(2, 20, FitLoss::likelihood), no_progress);
  const SamplesView members = fit.mixture.members.view();
  for (const double place : {0.0, 20.0}) {
    const Symmetric3 c = members.shape(nearest(fit.mixture, {place, 0, 0}));
    const double expected = (place > 0 ? 1 : 4) + 0.25;
    CHECK(c.xx == Approx(expected).margin(0.06));
    CHECK(c.zz == Approx(expected).margin(0.06));
    CHECK(c.yz == Approx(place > 0 ? 0.2 : 0).margin(0.04));
  }
  CHECK(fit.mixture.H == Symmetric3{});
}

TEST_CASE("The unit of values and of weights does not matter to a fit") {
  const Volume volume = known_volume();
  const MixtureFit plain = fit_mixture({&volume}, spec_of(3, 40), no_progress);
  const Vec3 mean = kParts[0].mean;
  const TargetPoints there({mean.x, mean.y, mean.z});
  const std::vector<double> plain_at = mixture_at(plain.mixture, there, {}, no_progress);
  const std::vector<double> xyz = known_samples(500, 3);
  const Symmetric3 kernel = Symmetric3::diagonal(0.3, 0.3, 0.3);
  const MixtureFit once =
      fit_mixture({&volume, {xyz}, kernel}, spec_of(4, 10, FitLoss::likelihood), no_progress);
  for (const double unit : {1e-170, 1e-24, 1e33, 1e160}) {
    CAPTURE(unit);
    Volume other = volume;
    for (double& value : other.values<double>()) value *= unit;
    const MixtureFit fit = fit_mixture({&other}, spec_of(3, 40), no_progress);
    CHECK(fit.facts.relative_error == Approx(plain.facts.relative_error).epsilon(1e-3));
    CHECK(fit.facts.psnr == Approx(plain.facts.psnr).epsilon(1e-3));
    CHECK(fit.facts.mass == Approx(unit * plain.facts.mass).epsilon(1e-6));
    CHECK(fit.facts.divergence == Approx(plain.facts.divergence).margin(1e-6));
    const std::vector<double> at = mixture_at(fit.mixture, there, {}, no_progress);
    CHECK(at[0] == Approx(unit * plain_at[0]).epsilon(1e-3));
    const std::vector<double> weights(xyz.size() / 3, unit);
    const MixtureFit likely = fit_mixture({&volume, {xyz, weights}, kernel},
                                          spec_of(4, 10, FitLoss::likelihood), no_progress);
    CHECK(likely.facts.relative_error == Approx(once.facts.relative_error).epsilon(1e-3));
  }
}

TEST_CASE("A sample whose kernel is narrower than a cell is found exactly") {
  const Grid grid{{-4, -4, -4}, {0.7, 0.7, 0.7}, {12, 12, 12}};
  const Symmetric3 kernel = Symmetric3::diagonal(0.09, 0.09, 0.09);
  const std::vector<double> xyz{1, 0.9, 0.2};
  std::vector<double> values;
  for (const auto& [i, j, k] : cells_of({12, 12, 12}))
    values.push_back(gaussian_at(kernel, grid.centre(i, j, k) - Vec3{1, 0.9, 0.2}));
  const Volume volume(grid, std::move(values));
  const MixtureFit fit = fit_mixture({&volume, {xyz}, kernel}, spec_of(1, 50), no_progress);
  CHECK(fit.facts.relative_error < 1e-3);
  CHECK(fit.mixture.members.view().shape(0).xx == Approx(0.09).epsilon(1e-3));
}

TEST_CASE("Logarithms of a mixture and its divergence do not end where sums are cut") {
  // f has a wide part of little mass, which a single Gaussian misses by far.
  const Grid grid{{-20, -20, -20}, {2, 2, 2}, {20, 20, 20}};
  const Part narrow{0.9, {0, 0, 0}, Symmetric3::diagonal(4, 4, 4)},
      wide{0.1, {0, 0, 0}, Symmetric3::diagonal(100, 100, 100)};
  std::vector<double> values, xyz;
  for (const auto& [i, j, k] : cells_of({20, 20, 20})) {
    const Vec3 at = grid.centre(i, j, k);
    values.push_back(narrow.mass * gaussian_at(narrow.covariance, at) +
                     wide.mass * gaussian_at(wide.covariance, at));
    xyz.insert(xyz.end(), {at.x, at.y, at.z});
  }
  const std::vector<double> f = values;
  const Volume volume(grid, std::move(values));
  const MixtureFit fit = fit_mixture({&volume}, spec_of(1, 60), no_progress);
  const std::vector<double> logs = mixture_logs_at(fit.mixture, TargetPoints(xyz), {}, no_progress);
  const SamplesView member = fit.mixture.members.view();
  double sum = 0, mass = 0, least = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Vec3 d = Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]} - member.point(0);
    const double log = std::log(member.weight(0)) + std::log(gaussian_at(member.shape(0), d));
    CHECK(logs[i] == Approx(log).epsilon(1e-9));
    sum += f[i] * (std::log(f[i]) - log);
    mass += f[i];
    least = std::min(least, log);
  }
  CHECK(least < -50);
  CHECK(fit.facts.divergence == Approx(sum / mass).epsilon(1e-4));
}

namespace {

/// The relative error of K-means clusters of a cloud with its kernel at the cells of a volume, from
/// fifteen iterations.
double error_of_clusters(const Volume& volume, const std::vector<double>& xyz, std::size_t count,
                         const Symmetric3& kernel) {
  const std::size_t samples = xyz.size() / 3;
  const auto at = [&](std::size_t i) { return Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; };
  const auto square = [](Vec3 d) { return d.x * d.x + d.y * d.y + d.z * d.z; };
  std::vector<Vec3> centres;
  for (std::size_t k = 0; k < count; ++k) centres.push_back(at(k * samples / count));
  std::vector<Part> parts;
  for (int iteration = 0; iteration < 15; ++iteration) {
    parts.assign(count, {0, {}, {}});
    std::vector<std::size_t> of(samples);
    for (std::size_t i = 0; i < samples; ++i) {
      for (std::size_t k = 1; k < count; ++k)
        if (square(at(i) - centres[k]) < square(at(i) - centres[of[i]])) of[i] = k;
      parts[of[i]].mass += 1;
      parts[of[i]].mean = parts[of[i]].mean + at(i);
    }
    for (std::size_t k = 0; k < count; ++k)
      centres[k] = parts[k].mean = (1 / parts[k].mass) * parts[k].mean;
    for (std::size_t i = 0; i < samples; ++i) {
      Part& part = parts[of[i]];
      const Vec3 d = at(i) - part.mean;
      part.covariance =
          part.covariance + (1 / part.mass) * Symmetric3{d.x * d.x, d.x * d.y, d.x * d.z,
                                                         d.y * d.y, d.y * d.z, d.z * d.z};
    }
  }
  std::vector<double> m;
  double mass = 0;
  const Grid& grid = volume.grid();
  for (const auto& [i, j, k] : cells_of(grid.dims)) {
    double value = 0;
    for (const Part& part : parts)
      value += part.mass * gaussian_at(part.covariance + kernel, grid.centre(i, j, k) - part.mean);
    m.push_back(value);
    mass += value;
  }
  double differences = 0, squares = 0, given = 0;
  for (const double f : volume.values<double>()) given += f;
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double f = volume.values<double>()[i];
    differences += std::pow(m[i] * given / mass - f, 2);
    squares += f * f;
  }
  return std::sqrt(differences / squares);
}

/// The sum of a cloud's Gaussians at the cells of a grid.
Volume volume_of(const std::vector<double>& xyz, const Symmetric3& kernel, const Grid& grid) {
  std::vector<double> values(static_cast<std::size_t>(grid.cells()), 0);
  const auto samples = static_cast<double>(xyz.size() / 3);
  std::size_t cell = 0;
  for (std::int64_t k = 0; k < grid.dims[2]; ++k)
    for (std::int64_t j = 0; j < grid.dims[1]; ++j)
      for (std::int64_t i = 0; i < grid.dims[0]; ++i, ++cell)
        for (std::size_t s = 0; s < xyz.size(); s += 3)
          values[cell] +=
              gaussian_at(kernel, grid.centre(i, j, k) - Vec3{xyz[s], xyz[s + 1], xyz[s + 2]}) /
              samples;
  return {grid, std::move(values)};
}

}  // namespace

TEST_CASE("A fit of kernels below a cell errs no more than clusters with these kernels") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<double> sheet, ring;
  for (int i = 0; i < 1500; ++i) {
    const double t = uniform(random), u = uniform(random), angle = 2 * std::numbers::pi * t;
    sheet.insert(sheet.end(),
                 {10 * t + 2 * u + 0.03 * normal(random), 6 * t - 3 * u + 0.03 * normal(random),
                  -4 * t + 0.5 * u + 0.03 * normal(random)});
    ring.insert(ring.end(), {5 * std::cos(angle) + 0.2 * normal(random),
                             5 * std::sin(angle) + 0.2 * normal(random), 0.2 * normal(random)});
  }
  // H of the sheet is thin across it; that of the ring is a ball.
  const Vec3 a{10, 6, -4}, b{2, -3, 0.5};
  const auto outer = [](Vec3 v, double s) {
    return s * Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  };
  const Symmetric3 thin =
      outer(a, 0.005) + outer(b, 0.005) + Symmetric3::diagonal(4e-4, 4e-4, 4e-4);
  const Symmetric3 ball = Symmetric3::diagonal(0.02, 0.02, 0.02);
  const struct {
    const std::vector<double>& xyz;
    Symmetric3 kernel;
    Grid grid;
    std::size_t members;
  } cases[]{{sheet, thin, {{-1, -4, -5}, {0.5, 0.5, 0.5}, {28, 22, 13}}, 8},
            {ring, ball, {{-6, -6, -2}, {0.5, 0.5, 0.5}, {24, 24, 8}}, 16}};
  for (const auto& one : cases) {
    CAPTURE(one.members);
    const Volume volume = volume_of(one.xyz, one.kernel, one.grid);
    const double clusters = error_of_clusters(volume, one.xyz, one.members, one.kernel);
    for (const std::int64_t steps : {1, 200}) {
      const MixtureFit fit =
          fit_mixture({&volume, {one.xyz}, one.kernel}, spec_of(one.members, steps), no_progress);
      CHECK(fit.facts.relative_error < 1.1 * clusters);
      CHECK(fit.mixture.H == one.kernel);
    }
  }
}

TEST_CASE("Each seed is another start, and the same one the same") {
  const Volume volume = known_volume();
  const std::vector<double> xyz = known_samples(500, 3);
  const Symmetric3 kernel = Symmetric3::diagonal(0.3, 0.3, 0.3);
  for (const FitLoss loss : {FitLoss::l2, FitLoss::likelihood})
    for (const std::size_t members : {6, 60}) {  // clusters, and merged samples
      std::vector<std::vector<double>> found;
      for (const std::uint64_t seed : {1, 2, 3, 3}) {
        FitSpec spec = spec_of(members, 5, loss);
        spec.seed = seed;
        found.push_back(
            fit_mixture({&volume, {xyz}, kernel}, spec, no_progress).mixture.members.xyz);
        CHECK(found.back().size() == 3 * members);
      }
      CHECK(found[0] != found[1]);
      CHECK(found[1] != found[2]);
      CHECK(found[2] == found[3]);
    }
}

}  // namespace skde::test

namespace skde::test {
namespace {

const Symmetric3 kKernel{1.5, 0.2, 0, 1.2, -0.1, 1};

std::vector<Member> random_members(std::size_t count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(0, 30), size(0.5, 3), mass(-6, -3);
  std::vector<Member> members(count);
  for (Member& member : members) {
    member.log_mass = mass(random);
    for (double& at : member.mean) at = place(random);
    for (const int diagonal : {0, 2, 5}) member.factor[diagonal] = size(random);
  }
  return members;
}

/// The mass, and the first and second moments of a coordinate that depends on all three.
struct Moments {
  double mass = 0, first = 0, second = 0;
};

Moments moments_of(const std::vector<Member>& members) {
  Moments sums;
  for (const Member& member : members) {
    const Symmetric3 c = covariance_of(member, kKernel);
    const double mass = std::exp(member.log_mass);
    const double at = member.mean[0] + 2 * member.mean[1] - member.mean[2];
    const double variance = c.xx + 4 * c.yy + c.zz + 4 * c.xy - 2 * c.xz - 4 * c.yz;
    sums.mass += mass;
    sums.first += mass * at;
    sums.second += mass * (at * at + variance);
  }
  return sums;
}

}  // namespace

TEST_CASE("Merging keeps mass, mean and covariance, whatever the number that is left") {
  const std::vector<Member> all = random_members(300);
  const Moments before = moments_of(all);
  for (const std::size_t count : {299, 80, 7, 1}) {
    INFO(count);
    std::vector<Member> members = all;
    merge_members(members, count, kKernel);
    CHECK(members.size() == count);
    const Moments after = moments_of(members);
    CHECK(after.mass == Approx(before.mass).epsilon(1e-10));
    CHECK(after.first == Approx(before.first).epsilon(1e-10));
    CHECK(after.second == Approx(before.second).epsilon(1e-10));
  }
}

TEST_CASE("Merging takes the pair that adds the least error first, and no more than asked for") {
  std::vector<Member> members = random_members(3);
  for (Member& member : members) std::fill_n(member.mean, 3, 5.0);
  members[2].mean[0] = 25;  // far from the others
  merge_members(members, 2, kKernel);
  REQUIRE(members.size() == 2);
  CHECK(std::ranges::count_if(members, [](const Member& m) { return m.mean[0] == 25; }) == 1);
  merge_members(members, 5, kKernel);
  CHECK(members.size() == 2);
}

}  // namespace skde::test
