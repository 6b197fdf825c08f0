#include "support/mixture_contract.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"

namespace skde::test {
namespace {

using Draws = std::mt19937_64;
NoProgress no_progress;

double between(Draws& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// A member anywhere in and around a grid of these dims: a ball, needle or plate.
Member random_member(Draws& random, const std::array<std::int64_t, 3>& dims, double largest) {
  Member member;
  member.log_mass = between(random, -3, 1);
  for (std::size_t axis = 0; axis < 3; ++axis)
    member.mean[axis] = between(random, -4, static_cast<double>(dims[axis]) + 3);
  const auto length = [&] { return std::exp(between(random, std::log(0.02), std::log(largest))); };
  const double factor[6] = {length(),
                            between(random, -1, 1) * length(),
                            length(),
                            between(random, -1, 1) * length(),
                            between(random, -1, 1) * length(),
                            length()};
  std::copy(std::begin(factor), std::end(factor), member.factor);
  return member;
}

MixtureProblem random_problem(Draws& random, bool points, double offset = 1e6) {
  MixtureProblem problem;
  problem.frame.lower = {between(random, -offset, offset), between(random, -3, 3), offset / 2};
  problem.frame.spacing = {between(random, 0.1, 2), between(random, 0.1, 2),
                           between(random, 0.1, 2)};
  for (auto& side : problem.frame.dims)
    side = std::uniform_int_distribution<std::int64_t>(1, 21)(random);
  const Vec3 s = problem.frame.spacing;
  problem.kernel = {1.1 * s.x * s.x, 0.2 * s.x * s.y,  0,
                    1.3 * s.y * s.y, -0.1 * s.y * s.z, 0.9 * s.z * s.z};
  problem.tolerance = 1e-6;
  problem.precision = Precision::f64;
  problem.target = problem.frame;
  if (!points) return problem;
  std::vector<double> xyz;
  for (int i = 0; i < 500; ++i)
    for (int axis = 0; axis < 3; ++axis)
      xyz.push_back(problem.frame.lower[axis] +
                    between(random, -0.1, 1.1) * s[axis] *
                        static_cast<double>(problem.frame.dims[static_cast<std::size_t>(axis)]));
  problem.target = TargetPoints(std::move(xyz));
  return problem;
}

/// The places of the values, in cells.
std::vector<Vec3> places_of(const MixtureProblem& problem) {
  std::vector<Vec3> places;
  if (const auto* const points = std::get_if<TargetPoints>(&problem.target)) {
    for (std::size_t i = 0; i < points->size(); ++i)
      places.push_back(problem.frame.to_cells(points->point(i)));
    return places;
  }
  const auto& dims = problem.frame.dims;
  for (const auto& [x, y, z] : cells_of(dims))
    places.push_back({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  return places;
}

/// The inverse of a matrix by its cofactors.
Symmetric3 inverse(const Symmetric3& m) {
  const double xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz,
               xz = m.xy * m.yz - m.xz * m.yy;
  const double det = m.xx * xx + m.xy * xy + m.xz * xz;
  return (1 / det) * Symmetric3{xx,
                                xy,
                                xz,
                                m.xx * m.zz - m.xz * m.xz,
                                m.xy * m.xz - m.xx * m.yz,
                                m.xx * m.yy - m.xy * m.xy};
}

MemberMoments direct_moments(const Member& member, const Symmetric3& kernel, double cut,
                             const std::vector<Vec3>& places, const std::vector<double>& c) {
  const Symmetric3 p = inverse(covariance_of(member, kernel));
  MemberMoments sums;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double x = places[i].x - member.mean[0], y = places[i].y - member.mean[1],
                 z = places[i].z - member.mean[2];
    const double q = p.xx * x * x + p.yy * y * y + p.zz * z * z +
                     2 * (p.xy * x * y + p.xz * x * z + p.yz * y * z);
    if (q >= cut * cut) continue;
    const double term = c[i] * std::exp(-q / 2);
    const double of[10] = {1, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z};
    for (int k = 0; k < 10; ++k) sums.of[k] += term * of[k];
  }
  return sums;
}

std::vector<double> random_cotangents(Draws& random, std::size_t count) {
  std::vector<double> c(count);
  for (double& value : c) value = between(random, -1, 1);
  return c;
}

std::vector<MemberMoments> moments_of(MixtureEngine& engine, const std::vector<Member>& members,
                                      const std::vector<double>& cotangents) {
  engine.set_members(members);
  engine.set_cotangents(cotangents);
  engine.gather(no_progress);
  return engine.moments();
}

/// A smooth loss of the values: the sum of c m + m^2 / 2.
struct Loss {
  std::vector<double> c;

  double of(const std::vector<double>& m) const {
    double sum = 0;
    for (std::size_t i = 0; i < m.size(); ++i) sum += c[i] * m[i] + m[i] * m[i] / 2;
    return sum;
  }
  std::vector<double> cotangents(const std::vector<double>& m) const {
    std::vector<double> by = c;
    for (std::size_t i = 0; i < m.size(); ++i) by[i] += m[i];
    return by;
  }
};

}  // namespace

void check_mixture_moments(Device device, std::uint64_t seed) {
  Draws random(seed);
  const MixtureProblem problem = random_problem(random, seed % 2 == 1);
  std::vector<Member> members;
  for (int k = 0; k < 9; ++k) members.push_back(random_member(random, problem.frame.dims, 30));
  const std::vector<Vec3> places = places_of(problem);
  const std::vector<double> c = random_cotangents(random, places.size());
  const auto engine = make_mixture_engine(problem, device, {.threads = 2});
  const std::vector<MemberMoments> found = moments_of(*engine, members, c);
  const double cut = summed_problem(problem).kernel.cut();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Symmetric3 kernel = kernel_in_cells(problem);
    const MemberMoments direct = direct_moments(members[k], kernel, cut, places, c);
    std::vector<double> sizes = c;
    for (double& size : sizes) size = std::abs(size);
    const Symmetric3 C = covariance_of(members[k], kernel);
    // Moments are sums with both signs: their rounding is a share of the sum of absolute terms.
    const double scale = 1 + std::sqrt(C.trace());
    const double most = direct_moments(members[k], kernel, cut, places, sizes).of[0];
    for (int i = 0; i < 10; ++i) {
      const double degree = i == 0 ? 0 : i < 4 ? 1 : 2;
      CAPTURE(seed, k, i);
      // A term at the cut may lie on either side of it.
      REQUIRE(std::abs(found[k].of[i] - direct.of[i]) <=
              (1e-9 * most + 2e-8) * 30 * std::pow(scale, degree));
    }
  }
}

void check_mixture_gradient(Device device, std::uint64_t seed) {
  Draws random(seed);
  // Small differences would see the rounding of far coordinates, and the cut.
  MixtureProblem problem = random_problem(random, seed % 2 == 1, 3);
  problem.tolerance = 1e-16;
  std::vector<Member> members;
  for (int k = 0; k < 3; ++k) members.push_back(random_member(random, problem.frame.dims, 5));
  const auto engine = make_mixture_engine(problem, device, {.threads = 2});
  const auto count = static_cast<std::size_t>(target_size(problem.target));
  const Loss loss{random_cotangents(random, count)};
  const Symmetric3 kernel = kernel_in_cells(problem);
  const auto values = [&](const std::vector<Member>& of) {
    engine->set_members(of);
    engine->sum(no_progress);
    return engine->values();
  };
  const std::vector<MemberMoments> moments =
      moments_of(*engine, members, loss.cotangents(values(members)));
  double largest = 0;
  std::vector<std::array<double, 10>> found(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    double by[kMemberParameters];
    local_gradient(members[k], kernel, moments[k], by);
    for (std::size_t i = 0; i < 10; ++i) {
      found[k][i] = by[i];
      largest = std::max(largest, std::abs(by[i]));
    }
  }
  const double h = 1e-4;
  for (std::size_t k = 0; k < members.size(); ++k)
    for (std::size_t i = 0; i < 10; ++i) {
      const auto moved = [&](double by) {
        std::vector<Member> at = members;
        double step[kMemberParameters] = {};
        step[i] = by;
        move_parameters(at[k], kernel, step);
        return loss.of(values(at));
      };
      const double slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      CAPTURE(seed, k, i, largest);
      REQUIRE(std::abs(slope - found[k][i]) <= 1e-6 * largest);
    }
}

void check_mixture_floats(Device device, std::uint64_t seed, std::size_t members) {
  Draws random(seed);
  MixtureProblem problem = random_problem(random, false);
  problem.frame.dims = {37, 26, 41};
  problem.target = problem.frame;
  std::vector<Member> all;
  for (std::size_t k = 0; k < members; ++k)
    all.push_back(random_member(random, problem.frame.dims, members > 1000 ? 1 : 40));
  const auto count = static_cast<std::size_t>(problem.frame.cells());
  const std::vector<double> c = random_cotangents(random, count);
  const auto precise = make_mixture_engine(problem, device, {.threads = 2});
  const std::vector<MemberMoments> exact = moments_of(*precise, all, c);
  problem.precision = Precision::f32;
  const auto engine = make_mixture_engine(problem, device, {.threads = 2});
  const std::vector<MemberMoments> found = moments_of(*engine, all, c);
  const Symmetric3 kernel = kernel_in_cells(problem);
  double largest = 0, error = 0;
  for (std::size_t k = 0; k < members; ++k) {
    double by[kMemberParameters], of[kMemberParameters];
    local_gradient(all[k], kernel, exact[k], by);
    local_gradient(all[k], kernel, found[k], of);
    for (std::size_t i = 0; i < 10; ++i) {
      largest = std::max(largest, std::abs(by[i]));
      error = std::max(error, std::abs(of[i] - by[i]));
    }
  }
  CAPTURE(seed, members, largest);
  REQUIRE(largest > 0);
  REQUIRE(error <= 1e-5 * largest);
  const std::vector<MemberMoments> again = moments_of(*engine, all, c);
  for (std::size_t k = 0; k < members; ++k)
    REQUIRE(std::equal(std::begin(found[k].of), std::end(found[k].of), std::begin(again[k].of)));
}

}  // namespace skde::test
