#pragma once

#include <array>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/mixture/member.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// The Gaussian of a member where it is not 0: its cell, its offset from the cell's centre, and the
/// ellipsoid q < cut^2, in cells.
struct MemberShape {
  std::array<std::int32_t, 3> cell;
  std::array<double, 3> offset;
  Ellipsoid<double> ellipsoid;

  /// The member's Gaussian, cut at sqrt(q) = `cut`.
  MemberShape(const Member& member, const Symmetric3& kernel, double cut);
};

/// Adds the moments of cotangents on slices [first, first + count) of a grid of these dims. At
/// least 64 bytes behind the cotangents must be readable. Rows are summed in Real, all else in
/// double.
template <class Real>
void add_grid_moments(const MemberShape& shape, double cut, const Real* cotangents,
                      const std::array<std::int64_t, 3>& dims, IndexRange slices,
                      MemberMoments& to);

/// Points in cells and their cotangents, as arrays.
template <class Real>
struct PointCotangents {
  const double *x, *y, *z;
  const Real* values;
};

/// Adds the moments of the cotangents of points [first, last).
template <class Real>
void add_point_moments(const Member& member, const Ellipsoid<double>& ellipsoid, double cut,
                       const PointCotangents<Real>& points, std::size_t first, std::size_t last,
                       MemberMoments& to);

}  // namespace skde
