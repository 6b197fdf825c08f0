#include "engines/cpu/mixture/member_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel/kernel_profiles.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

/// Sums over a row of cells: c k, c k d and c k d^2, with d along x from the member's mean.
struct RowSums {
  double zeroth = 0, first = 0, second = 0;
};

template <class Real>
struct Lanes {
  static constexpr int kCount = 64 / sizeof(Real);
};

/// A row of cells of the grid, and where the member's Gaussian lies in it.
template <class Real>
struct MemberRow {
  const Real* cells;  ///< the first one inside the Gaussian
  std::int32_t count;
  Real start;                ///< d of the first cell
  Real slant;                ///< u0 = (d - slant) / sx
  Real inv_sx, outer, rate;  ///< k = exp(-rate (outer + u0^2))
};

template <class Real>
[[gnu::always_inline]] inline RowSums sum_row(const MemberRow<Real>& row) {
  constexpr int kLanes = Lanes<Real>::kCount;
  alignas(64) Real zeroth[kLanes] = {}, first[kLanes] = {}, second[kLanes] = {};
  GaussianProfile profile;
  profile.rate = static_cast<double>(row.rate);
  for (std::int32_t x = 0; x < row.count; x += kLanes) {
    const std::int32_t left = row.count - x;
    const Real base = row.start + static_cast<Real>(x);
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) {
      const Real d = base + static_cast<Real>(lane), u0 = (d - row.slant) * row.inv_sx;
      const Real c = lane < left ? row.cells[x + lane] : Real(0);
      const Real term = c * profile.value(row.outer + u0 * u0), along = term * d;
      zeroth[lane] += term;
      first[lane] += along;
      second[lane] += along * d;
    }
  }
  RowSums sums;
  for (int lane = 0; lane < kLanes; ++lane) {
    sums.zeroth += static_cast<double>(zeroth[lane]);
    sums.first += static_cast<double>(first[lane]);
    sums.second += static_cast<double>(second[lane]);
  }
  return sums;
}

template <class Real>
[[gnu::always_inline]] inline void add_rows(const MemberShape& s, double cut, const Real* cells,
                                            const std::array<std::int64_t, 3>& dims,
                                            IndexRange slices, MemberMoments& to) {
  const Ellipsoid<double>& e = s.ellipsoid;
  const auto side = [&dims](std::size_t axis) { return static_cast<std::int32_t>(dims[axis]); };
  const IndexRange rows = cells_within(s.offset[1], e.ry, side(1), s.cell[1]);
  double* const m = to.of;
  for (std::int32_t z = slices.begin; z < slices.end; ++z) {
    const double dz = cells_from(s.cell[2], s.offset[2], z), u2 = dz * e.inv_sz;
    for (std::int32_t y = rows.begin; y < rows.end; ++y) {
      const double dy = cells_from(s.cell[1], s.offset[1], y), u1 = (dy - e.bzy * dz) * e.inv_sy;
      const double outer = u1 * u1 + u2 * u2;
      if (!(outer < 1)) continue;
      const double slant = e.bxy * dy + e.bxz * dz;
      const IndexRange x =
          cells_within(s.offset[0] + slant, e.sx * std::sqrt(1 - outer), side(0), s.cell[0]);
      if (x.empty()) continue;
      const RowSums row =
          sum_row<Real>({cells + (std::int64_t{z} * dims[1] + y) * dims[0] + x.begin, x.size(),
                         static_cast<Real>(cells_from(s.cell[0], s.offset[0], x.begin)),
                         static_cast<Real>(slant), static_cast<Real>(e.inv_sx),
                         static_cast<Real>(outer), static_cast<Real>(cut * cut / 2)});
      m[0] += row.zeroth;
      m[1] += row.first;
      m[2] += row.zeroth * dy;
      m[3] += row.zeroth * dz;
      m[4] += row.second;
      m[5] += row.first * dy;
      m[6] += row.first * dz;
      m[7] += row.zeroth * dy * dy;
      m[8] += row.zeroth * dy * dz;
      m[9] += row.zeroth * dz * dz;
    }
  }
}

template <class Real>
[[gnu::always_inline]] inline void add_points(const Member& member, const Ellipsoid<double>& given,
                                              double cut, const PointCotangents<Real>& points,
                                              std::size_t first, std::size_t last,
                                              MemberMoments& to) {
  constexpr int kLanes = Lanes<Real>::kCount;
  const Ellipsoid<Real> e = given.cast<Real>();
  GaussianProfile profile(cut);
  alignas(64) Real sums[kMemberParameters][kLanes] = {};
  for (std::size_t i = first; i < last; i += kLanes) {
    const int left = static_cast<int>(std::min<std::size_t>(kLanes, last - i));
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = i + static_cast<std::size_t>(lane);
      const Real x = static_cast<Real>(points.x[at] - member.mean[0]);
      const Real y = static_cast<Real>(points.y[at] - member.mean[1]);
      const Real z = static_cast<Real>(points.z[at] - member.mean[2]);
      const Real c = lane < left ? points.values[at] : Real(0);
      const Real term = c * profile.value(e.q(x, y, z));
      sums[0][lane] += term;
      sums[1][lane] += term * x;
      sums[2][lane] += term * y;
      sums[3][lane] += term * z;
      sums[4][lane] += term * x * x;
      sums[5][lane] += term * x * y;
      sums[6][lane] += term * x * z;
      sums[7][lane] += term * y * y;
      sums[8][lane] += term * y * z;
      sums[9][lane] += term * z * z;
    }
  }
  for (int k = 0; k < kMemberParameters; ++k)
    for (const Real lane : sums[k]) to.of[k] += static_cast<double>(lane);
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_ADD_MOMENTS(NAME, TARGET)                                                          \
  template <class Real>                                                                         \
  TARGET [[gnu::flatten]] void grid_##NAME(const MemberShape& s, double cut, const Real* cells, \
                                           const std::array<std::int64_t, 3>& dims,             \
                                           IndexRange slices, MemberMoments& to) {              \
    add_rows<Real>(s, cut, cells, dims, slices, to);                                            \
  }                                                                                             \
  template <class Real>                                                                         \
  TARGET [[gnu::flatten]] void points_##NAME(                                                   \
      const Member& m, const Ellipsoid<double>& e, double cut, const PointCotangents<Real>& p,  \
      std::size_t first, std::size_t last, MemberMoments& to) {                                 \
    add_points<Real>(m, e, cut, p, first, last, to);                                            \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_ADD_MOMENTS(avx512, SKDE_AVX512)
SKDE_ADD_MOMENTS(avx2, SKDE_AVX2)
#endif
SKDE_ADD_MOMENTS(any, )
#undef SKDE_ADD_MOMENTS

}  // namespace

MemberShape::MemberShape(const Member& member, const Symmetric3& kernel, double cut) {
  constexpr double kFarthestCell = 2147483646.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double near = std::clamp(std::rint(member.mean[axis]), -kFarthestCell, kFarthestCell);
    cell[axis] = static_cast<std::int32_t>(near);
    offset[axis] = member.mean[axis] - near;
  }
  const Symmetric3 m = (cut * cut) * covariance_of(member, kernel);
  ellipsoid = ellipsoid_of(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
}

template <class Real>
void add_grid_moments(const MemberShape& shape, double cut, const Real* cotangents,
                      const std::array<std::int64_t, 3>& dims, IndexRange slices,
                      MemberMoments& to) {
#if defined(__x86_64__)
  const VectorInstructions best = vector_instructions();
  if (best == VectorInstructions::avx512)
    return grid_avx512(shape, cut, cotangents, dims, slices, to);
  if (best == VectorInstructions::avx2) return grid_avx2(shape, cut, cotangents, dims, slices, to);
#endif
  grid_any(shape, cut, cotangents, dims, slices, to);
}

template <class Real>
void add_point_moments(const Member& member, const Ellipsoid<double>& ellipsoid, double cut,
                       const PointCotangents<Real>& points, std::size_t first, std::size_t last,
                       MemberMoments& to) {
#if defined(__x86_64__)
  const VectorInstructions best = vector_instructions();
  if (best == VectorInstructions::avx512)
    return points_avx512(member, ellipsoid, cut, points, first, last, to);
  if (best == VectorInstructions::avx2)
    return points_avx2(member, ellipsoid, cut, points, first, last, to);
#endif
  points_any(member, ellipsoid, cut, points, first, last, to);
}

template void add_grid_moments(const MemberShape&, double, const float*,
                               const std::array<std::int64_t, 3>&, IndexRange, MemberMoments&);
template void add_grid_moments(const MemberShape&, double, const double*,
                               const std::array<std::int64_t, 3>&, IndexRange, MemberMoments&);
template void add_point_moments(const Member&, const Ellipsoid<double>&, double,
                                const PointCotangents<float>&, std::size_t, std::size_t,
                                MemberMoments&);
template void add_point_moments(const Member&, const Ellipsoid<double>&, double,
                                const PointCotangents<double>&, std::size_t, std::size_t,
                                MemberMoments&);

}  // namespace skde
