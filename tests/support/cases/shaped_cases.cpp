#include "support/cases/shaped_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "support/cases/case_parts.hpp"

namespace skde::test {
namespace {

using Real = long double;

Symmetric3 in_world(const Symmetric3& h, Vec3 s) {
  return {h.xx * s.x * s.x, h.xy * s.x * s.y, h.xz * s.x * s.z,
          h.yy * s.y * s.y, h.yz * s.y * s.z, h.zz * s.z * s.z};
}

Symmetric3 draw_shape(Random& random, double longest) {
  constexpr double kMostSlenderShape = 30;
  const auto other = [&] { return random.log_uniform(longest / kMostSlenderShape, longest); };
  const double second = other();
  return random_rotation(random, {longest, second, other()});
}

/// The inverse of the matrix of a sample's kernel.
struct Inverse {
  Real xx, xy, xz, yy, yz, zz, determinant;

  explicit Inverse(const Symmetric3& m) {
    const Real a = m.xx, b = m.xy, c = m.xz, d = m.yy, e = m.yz, f = m.zz;
    determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
    xx = (d * f - e * e) / determinant;
    xy = (c * e - b * f) / determinant;
    xz = (b * e - c * d) / determinant;
    yy = (a * f - c * c) / determinant;
    yz = (b * c - a * e) / determinant;
    zz = (a * d - b * b) / determinant;
  }
  Real q(Real x, Real y, Real z) const {
    return xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
  }
};

Real profile(KernelFunction function, Real q) {
  constexpr Real kPi = std::numbers::pi_v<Real>;
  const Real rest = 1 - q;
  if (function == KernelFunction::gaussian) return std::exp(-q / 2) / std::pow(2 * kPi, Real(1.5));
  if (function == KernelFunction::exponential) return std::exp(-std::sqrt(q)) / (8 * kPi);
  if (q >= 1) return 0;
  if (function == KernelFunction::linear) return 3 / kPi * (1 - std::sqrt(q));
  if (function == KernelFunction::cosine)
    return std::cos(kPi / 2 * std::sqrt(q)) / (8 - 64 / (kPi * kPi));
  if (const Real r = std::sqrt(q); function == KernelFunction::cubic_spline)
    return 8 / kPi * (r < Real(0.5) ? 1 - 6 * q + 6 * q * r : 2 * std::pow(1 - r, Real(3)));
  else if (function == KernelFunction::wendland_c2)
    return 21 / (2 * kPi) * std::pow(1 - r, Real(4)) * (1 + 4 * r);
  if (function == KernelFunction::uniform) return 3 / (4 * kPi);
  if (function == KernelFunction::epanechnikov) return 15 / (8 * kPi) * rest;
  if (function == KernelFunction::biweight) return 105 / (32 * kPi) * rest * rest;
  return 315 / (64 * kPi) * rest * rest * rest;
}

Symmetric3 matrix_of(const ShapedCase& shaped, std::size_t i) {
  const auto* const m = &shaped.cloud.shapes[6 * i];
  return {m[0], m[1], m[2], m[3], m[4], m[5]};
}

/// Returns the largest error of q near 1 in an engine that computes in cells with this precision.
Real margin_of(const Symmetric3& m, const Inverse& p, const Grid& grid, Precision precision) {
  const Real diagonal[] = {m.xx, m.yy, m.zz}, inverse[] = {p.xx, p.yy, p.zz};
  Real condition = 0, thinnest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    condition = std::max(condition, std::sqrt(diagonal[axis] * inverse[axis]));
    thinnest = std::max(thinnest, Real(grid.spacing[axis]) * std::sqrt(inverse[axis]) *
                                      Real(grid.dims[static_cast<std::size_t>(axis)]));
  }
  const Real eps = precision == Precision::f32 ? Real(std::numeric_limits<float>::epsilon())
                                               : Real(std::numeric_limits<double>::epsilon());
  return 8 * eps * (condition + thinnest);
}

}  // namespace

double ShapedCase::total_weight() const {
  return cloud.weights.empty() ? static_cast<double>(cloud.size())
                               : std::accumulate(cloud.weights.begin(), cloud.weights.end(), 0.0);
}

Problem ShapedCase::problem(KernelFunction function, Precision precision) const {
  Problem problem;
  problem.kernel = {function, H};
  problem.target = grid;
  problem.total_weight = total_weight();
  problem.precision = precision;
  return problem;
}

ShapedCase random_shaped_case(std::uint64_t seed, ShapeForm form, double least, double most) {
  constexpr std::size_t kSamples = 60;
  Random random(seed + 7000);
  ShapedCase result;
  for (int axis = 0; axis < 3; ++axis) {
    result.grid.spacing[axis] = random.log_uniform(0.2, 5);
    result.grid.lower[axis] = random.uniform(-50, 50);
    result.grid.dims[static_cast<std::size_t>(axis)] =
        random.chance(0.05) ? 1 : static_cast<int>(random.log_uniform(5, 60));
  }
  while (result.grid.cells() > 12000)
    *std::max_element(result.grid.dims.begin(), result.grid.dims.end()) /= 2;
  Box around = result.grid.bounds();
  const Vec3 margin = random.uniform(0, 0.4) * around.extent();
  around = {around.lower - margin, around.upper + margin};
  add_uniform(result.cloud, random, around, kSamples);
  result.H = in_world(draw_shape(random, 1), result.grid.spacing);
  const bool weighted = random.chance(0.75);
  for (std::size_t i = 0; i < kSamples; ++i) {
    if (weighted) result.cloud.weights.push_back(random.log_uniform(0.1, 10));
    const double longest = random.log_uniform(least, most);
    if (form == ShapeForm::widths) {
      result.cloud.bandwidth_factors.push_back(longest);
      continue;
    }
    const Symmetric3 m = in_world(draw_shape(random, longest), result.grid.spacing);
    result.cloud.shapes.insert(result.cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  return result;
}

ShapedReference shaped_reference(const ShapedCase& shaped, const Problem& problem) {
  const Grid& grid = shaped.grid;
  const auto cells = static_cast<std::size_t>(grid.cells());
  ShapedReference result;
  std::vector<Real> low(cells), high(cells);
  const KernelFunction function = problem.kernel.function;
  const Real cut = problem.kernel.cut();
  const auto& xyz = shaped.cloud.xyz;
  for (std::size_t i = 0; i < shaped.cloud.size(); ++i) {
    const Real width =
        shaped.cloud.bandwidth_factors.empty() ? 1 : shaped.cloud.bandwidth_factors[i];
    const Symmetric3 m = shaped.cloud.shapes.empty() ? shaped.H : matrix_of(shaped, i);
    const Inverse inverse(m);
    const Real margin = margin_of(m, inverse, grid, problem.precision) / std::min<Real>(width, 1);
    const Real weight =
        (shaped.cloud.weights.empty() ? Real(1) : Real(shaped.cloud.weights[i])) /
        (Real(problem.total_weight) * width * width * width * std::sqrt(inverse.determinant));
    const auto summit = static_cast<double>(weight * profile(function, 0));
    result.summit = std::max(result.summit, summit);
    Real least_q = std::numeric_limits<Real>::infinity();
    std::size_t cell = 0;
    for (std::int64_t z = 0; z < grid.dims[2]; ++z)
      for (std::int64_t y = 0; y < grid.dims[1]; ++y)
        for (std::int64_t x = 0; x < grid.dims[0]; ++x, ++cell) {
          const std::int64_t at[] = {x, y, z};
          Real d[3];
          for (int axis = 0; axis < 3; ++axis)
            d[axis] = ((Real(grid.lower[axis]) - xyz[3 * i + static_cast<std::size_t>(axis)]) +
                       (Real(at[axis]) + Real(0.5)) * grid.spacing[axis]) /
                      width;
          const Real q = inverse.q(d[0], d[1], d[2]);
          least_q = std::min(least_q, q);
          const bool jumps = function == KernelFunction::uniform && std::abs(q - 1) < margin;
          const Real value = weight * profile(function, q);
          low[cell] += jumps ? 0 : value;
          high[cell] += jumps ? weight * profile(function, 0) : value;
        }
    if (least_q < cut * cut) result.height = std::max(result.height, summit);
  }
  result.low.assign(low.begin(), low.end());
  result.high.assign(high.begin(), high.end());
  result.peak = *std::max_element(result.high.begin(), result.high.end());
  result.height = std::max(result.height, result.peak);
  return result;
}

double worst_distance(const std::vector<double>& values, const ShapedReference& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max({worst, values[i] - reference.high[i], reference.low[i] - values[i]});
  return worst;
}

}  // namespace skde::test
