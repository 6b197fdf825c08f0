#include "support/references/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace skde::test {
namespace {

using Real = long double;

constexpr std::array kPrecisions{Precision::f32, Precision::f64};

/// A symmetric matrix with all nine entries.
struct Matrix {
  Real m[3][3];
};

Matrix entries_of(const Symmetric3& a) {
  return {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
}

/// Returns the cofactor of entry (i, j): the signed determinant without row i and column j.
Real cofactor(const Matrix& a, int i, int j) {
  const int r0 = (i + 1) % 3, r1 = (i + 2) % 3, c0 = (j + 1) % 3, c1 = (j + 2) % 3;
  return a.m[r0][c0] * a.m[r1][c1] - a.m[r0][c1] * a.m[r1][c0];
}

Real determinant(const Matrix& a) {
  return a.m[0][0] * cofactor(a, 0, 0) + a.m[0][1] * cofactor(a, 0, 1) +
         a.m[0][2] * cofactor(a, 0, 2);
}

Matrix inverse(const Matrix& a) {
  const Real scale = 1 / determinant(a);
  Matrix result{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result.m[i][j] = scale * cofactor(a, j, i);
  return result;
}

constexpr Real kRealPi = std::numbers::pi_v<Real>;

/// Kernels without an end are summed up to this q, where nothing is left of them.
constexpr Real kFarthest = 60, kFarthestRoot = 30;

/// exp(x) to double accuracy, in an eighth of the time of exp() in long double: exp(head) (1 +
/// rest).
Real exponential(Real x) {
  const auto head = static_cast<double>(x);
  return std::exp(head) * (1 + (x - Real(head)));
}

/// q is a difference where it is next to nothing.
Real root(Real q) { return std::sqrt(std::max(q, Real(0))); }

/// M4 by its two pieces.
Real cubic_spline(Real q) {
  const Real r = root(q);
  return r < Real(0.5) ? 1 - 6 * r * r * (1 - r) : 2 * std::pow(1 - r, Real(3));
}

/// k(q) = constant * profile(q) for q < end.
struct KnownKernel {
  std::string_view name;
  Real end;
  Real constant;
  Real (*profile)(Real q);
};
constexpr std::array kKnown{
    KnownKernel{"uniform", 1, 3 / (4 * kRealPi), [](Real) -> Real { return 1; }},
    KnownKernel{"epanechnikov", 1, 15 / (8 * kRealPi), [](Real q) { return 1 - q; }},
    KnownKernel{"biweight", 1, 105 / (32 * kRealPi), [](Real q) { return (1 - q) * (1 - q); }},
    KnownKernel{"triweight", 1, 315 / (64 * kRealPi),
                [](Real q) { return (1 - q) * (1 - q) * (1 - q); }},
    KnownKernel{"linear", 1, 3 / kRealPi, [](Real q) { return 1 - root(q); }},
    KnownKernel{"cosine", 1, 1 / (8 - 64 / (kRealPi * kRealPi)),
                [](Real q) { return std::cos(kRealPi / 2 * root(q)); }},
    KnownKernel{"cubic-spline", 1, 8 / kRealPi, cubic_spline},
    KnownKernel{"wendland-c2", 1, 21 / (2 * kRealPi),
                [](Real q) { return std::pow(1 - root(q), Real(4)) * (1 + 4 * root(q)); }},
    KnownKernel{"exponential", kFarthestRoot* kFarthestRoot, 1 / (8 * kRealPi),
                [](Real q) { return exponential(-root(q)); }},
    KnownKernel{"gaussian", kFarthest, 0.0634936359342409697857633049346L,
                [](Real q) { return exponential(-q / 2); }},
};
constexpr Real kUniformConstant = kKnown[0].constant;

std::size_t place_of(KernelFunction function) {
  const auto* const found = std::ranges::find(kKnown, function->name, &KnownKernel::name);
  if (found == kKnown.end()) throw std::invalid_argument("the reference does not know the kernel");
  return static_cast<std::size_t>(found - kKnown.begin());
}

/// Returns the distance from the sample to the centre of cell i along an axis. The first difference
/// is exact, however large the coordinates are.
Real distance(const Grid& grid, int axis, std::int64_t i, double sample) {
  return (Real(grid.lower[axis]) - Real(sample)) + (Real(i) + Real(0.5)) * Real(grid.spacing[axis]);
}

/// Sums over the samples in the cells of a slice: w profile(q) for each kernel, and the lowest and
/// highest sum of the uniform kernel for each precision.
struct SliceSums {
  std::array<std::vector<Real>, kKnown.size()> profile;
  std::array<std::vector<Real>, 2> low, high;

  explicit SliceSums(std::size_t cells) {
    for (auto* group : {&low, &high})
      for (auto& sums : *group) sums.assign(cells, 0);
    for (auto& sums : profile) sums.assign(cells, 0);
  }
};

/// The parameters that all samples share.
struct Setting {
  const Grid& grid;
  const Symmetric3& H;
  Matrix inverse_H;
  std::array<Real, 2> margin;
};

void add_cell(SliceSums& sums, std::size_t cell, Real q, Real weight,
              const std::array<Real, 2>& margin) {
  constexpr std::size_t kBounded = kKnown.size() - 2;
  for (std::size_t i = kBounded; i < kKnown.size(); ++i)
    if (q < kKnown[i].end) sums.profile[i][cell] += weight * kKnown[i].profile(q);
  if (q >= 1 + std::max(margin[0], margin[1])) return;  // most cells are the Gaussian's alone
  for (std::size_t p = 0; p < 2; ++p) {
    if (q < 1 - margin[p]) sums.low[p][cell] += weight;
    if (q < 1 + margin[p]) sums.high[p][cell] += weight;
  }
  for (std::size_t i = 0; i < kBounded; ++i)
    if (q < kKnown[i].end) sums.profile[i][cell] += weight * kKnown[i].profile(q);
}

/// Adds a sample. Skips rows and slices beyond the kernel, as q >= d_a^2 / H_aa along every axis a
/// by the inequality of Cauchy and Schwarz.
void add_sample(SliceSums& sums, const Setting& s, std::int64_t z, Vec3 sample, Real weight) {
  constexpr Real kBeyond = 1.01L * kFarthestRoot * kFarthestRoot;
  const Matrix& P = s.inverse_H;
  const Real dz = distance(s.grid, 2, z, sample.z);
  if (dz * dz > kBeyond * Real(s.H.zz)) return;
  for (std::int64_t y = 0; y < s.grid.dims[1]; ++y) {
    const Real dy = distance(s.grid, 1, y, sample.y);
    if (dy * dy > kBeyond * Real(s.H.yy)) continue;
    const Real fixed = P.m[1][1] * dy * dy + P.m[2][2] * dz * dz + 2 * P.m[1][2] * dy * dz;
    const Real slope = 2 * (P.m[0][1] * dy + P.m[0][2] * dz);
    for (std::int64_t x = 0; x < s.grid.dims[0]; ++x) {
      const Real dx = distance(s.grid, 0, x, sample.x);
      const Real q = fixed + dx * (slope + P.m[0][0] * dx);
      if (q < kBeyond)
        add_cell(sums, static_cast<std::size_t>(y * s.grid.dims[0] + x), q, weight, s.margin);
    }
  }
}

void store(const std::vector<Real>& sums, Real scale, std::vector<double>& to, std::size_t at) {
  for (std::size_t i = 0; i < sums.size(); ++i) to[at + i] = static_cast<double>(scale * sums[i]);
}

}  // namespace

const std::vector<double>& Reference::of(KernelFunction function) const {
  return density[place_of(function)];
}

double Reference::peak(KernelFunction function) const {
  return *std::max_element(of(function).begin(), of(function).end());
}

double q_margin(const Symmetric3& H, const Grid& grid, Precision precision) {
  const Matrix P = inverse(entries_of(H)), h = entries_of(H);
  Real condition = 0,
       thinnest = 0;  // cells per half width at its thinnest
  for (int a = 0; a < 3; ++a) {
    const auto cells = static_cast<Real>(grid.dims[static_cast<std::size_t>(a)]);
    condition = std::max(condition, std::sqrt(h.m[a][a] * P.m[a][a]));
    thinnest = std::max(thinnest, cells * Real(grid.spacing[a]) * std::sqrt(P.m[a][a]));
  }
  const Real eps = precision == Precision::f32 ? Real(std::numeric_limits<float>::epsilon())
                                               : Real(std::numeric_limits<double>::epsilon());
  return static_cast<double>(8 * eps * (condition + thinnest));
}

double peak_of_one_kernel(KernelFunction function, const Symmetric3& H, double weight,
                          double total_weight) {
  const Real density = kKnown[place_of(function)].constant * Real(weight) /
                       (Real(total_weight) * std::sqrt(determinant(entries_of(H))));
  return static_cast<double>(density);
}

Reference make_reference(const SamplesView& points, const Symmetric3& H, const Grid& grid,
                         double total_weight) {
  Reference result;
  const auto cells = static_cast<std::size_t>(grid.cells());
  result.density.assign(kKnown.size(), std::vector<double>(cells));
  for (auto& bracket : result.uniform) {
    bracket.low.resize(cells);
    bracket.high.resize(cells);
  }
  Setting setting{grid, H, inverse(entries_of(H)), {}};
  for (std::size_t p = 0; p < 2; ++p) setting.margin[p] = q_margin(H, grid, kPrecisions[p]);
  const Real scale = 1 / (Real(total_weight) * std::sqrt(determinant(entries_of(H))));
  const auto slice_cells = static_cast<std::size_t>(grid.dims[0] * grid.dims[1]);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t z = 0; z < grid.dims[2]; ++z) {
    SliceSums sums(slice_cells);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points.weight(i) > 0) add_sample(sums, setting, z, points.point(i), points.weight(i));
    const std::size_t at = static_cast<std::size_t>(z) * slice_cells;
    for (std::size_t i = 0; i < kKnown.size(); ++i)
      store(sums.profile[i], scale * kKnown[i].constant, result.density[i], at);
    for (std::size_t p = 0; p < 2; ++p) {
      store(sums.low[p], scale * kUniformConstant, result.uniform[p].low, at);
      store(sums.high[p], scale * kUniformConstant, result.uniform[p].high, at);
    }
  }
  return result;
}

}  // namespace skde::test
