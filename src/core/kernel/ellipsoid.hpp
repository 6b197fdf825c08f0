#pragma once

#include <cmath>
#include <cstdint>

#include "core/space/space.hpp"

namespace skde {

/// Cells [begin, end) along one axis.
struct IndexRange {
  std::int32_t begin = 0, end = 0;

  SKDE_HOST_DEVICE std::int32_t size() const { return end > begin ? end - begin : 0; }
  SKDE_HOST_DEVICE bool empty() const { return end <= begin; }
};

/// The ellipsoid u^T H^-1 u < 1 in cell units, factored by conditioning on z, then y, then x
/// (docs/method/density_formulas.md; the factors are those of H = U D U^T with unit upper
/// triangular U):
///
///     u2 = dz / sz
///     u1 = (dy - bzy dz) / sy
///     u0 = (dx - bxy dy - bxz dz) / sx
///     q  = u0^2 + u1^2 + u2^2
///
/// Lengths are in cells of the evaluation grid; (dx, dy, dz) points from the sample to the cell
/// centre. Built by make_ellipsoid from H in double, then narrowed with cast().
template <class Real>
struct Ellipsoid {
  Real sx, sy, sz;  ///< conditional half widths of x given (y, z), y given z, and of z
  Real bxy, bxz;    ///< regression of x on (y, z)
  Real bzy;         ///< regression of y on z
  Real mx;          ///< regression of x on z alone: Hxz / Hzz
  Real ex;          ///< half width of x given z: sqrt(Hxx - Hxz^2 / Hzz)
  Real rx, ry;      ///< half extents of the whole ellipsoid along x and y (sz along z)
  Real inv_sx, inv_sy, inv_sz;

  template <class Other>
  SKDE_HOST_DEVICE Ellipsoid<Other> cast() const {
    return {Other(sx), Other(sy), Other(sz), Other(bxy),    Other(bxz),    Other(bzy),   Other(mx),
            Other(ex), Other(rx), Other(ry), Other(inv_sx), Other(inv_sy), Other(inv_sz)};
  }

  /// Returns the ellipsoid scaled by `factor`.
  SKDE_HOST_DEVICE Ellipsoid scaled(Real factor) const {
    const Real inverse = 1 / factor;
    return {sx * factor,
            sy * factor,
            sz * factor,
            bxy,
            bxz,
            bzy,
            mx,
            ex * factor,
            rx * factor,
            ry * factor,
            inv_sx * inverse,
            inv_sy * inverse,
            inv_sz * inverse};
  }

  SKDE_HOST_DEVICE Real q(Real dx, Real dy, Real dz) const {
    const Real u2 = dz * inv_sz;
    const Real u1 = (dy - bzy * dz) * inv_sy;
    const Real u0 = (dx - bxy * dy - bxz * dz) * inv_sx;
    return u0 * u0 + u1 * u1 + u2 * u2;
  }
};

/// Returns the signed distance in cells from a sample, whose own cell is `anchor`, to the centre of
/// cell i. The kernel may be wider than 32 bits can count.
template <class Real>
SKDE_HOST_DEVICE inline Real cells_from(std::int32_t anchor, Real offset, std::int32_t i) {
  return static_cast<Real>(std::int64_t{i} - anchor) - offset;
}

/// Returns the ellipsoid u^T h^-1 u < 1 of the positive definite matrix h (squared cells).
template <class Real>
SKDE_HOST_DEVICE inline Ellipsoid<Real> ellipsoid_of(Real xx, Real xy, Real xz, Real yy, Real yz,
                                                     Real zz) {
  Ellipsoid<Real> e{};
  e.sz = std::sqrt(zz);
  e.bzy = yz / zz;
  e.mx = xz / zz;
  const Real y_given_z = yy - yz * e.bzy, x_given_z = xx - xz * e.mx;
  const Real xy_given_z = xy - xz * e.bzy;
  e.sy = std::sqrt(y_given_z);
  e.ex = std::sqrt(x_given_z);
  e.bxy = xy_given_z / y_given_z;
  e.bxz = e.mx - e.bxy * e.bzy;
  e.sx = std::sqrt(x_given_z - xy_given_z * e.bxy);
  e.rx = std::sqrt(xx);
  e.ry = std::sqrt(yy);
  e.inv_sx = 1 / e.sx;
  e.inv_sy = 1 / e.sy;
  e.inv_sz = 1 / e.sz;
  return e;
}

/// Returns the cells i with |i - (anchor + centre)| <= half, within [0, cells). Cell centres lie at
/// integers, so a sample covers cell i along the axis if the distance is at most its half width.
/// `anchor` is the sample's own cell and `centre` its offset from it, so rounding does not grow
/// with the grid. Safe for any centre and half, however far outside the grid.
template <class Real>
SKDE_HOST_DEVICE inline IndexRange cells_within(Real centre, Real half, std::int32_t cells,
                                                std::int32_t anchor = 0) {
  const Real low = std::ceil(centre - half), high = std::floor(centre + half);
  if (!(low <= high)) return {};
  constexpr Real kFar = 1e10;  // outside every grid from every anchor, and well inside 64 bits
  const auto first = static_cast<std::int64_t>(low > -kFar ? (low < kFar ? low : kFar) : -kFar);
  const auto last = static_cast<std::int64_t>(high < kFar ? (high > -kFar ? high : -kFar) : kFar);
  const std::int64_t begin = anchor + first > 0 ? anchor + first : 0;
  const std::int64_t end = anchor + last + 1 < cells ? anchor + last + 1 : cells;
  if (begin >= end) return {};
  return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
}

/// **Chop**: the z-slices that an ellipsoid at height anchor + `z` (cells) meets.
template <class Real>
SKDE_HOST_DEVICE inline IndexRange chop(const Ellipsoid<Real>& e, Real z, std::int32_t nz,
                                        std::int32_t anchor = 0) {
  return cells_within(z, e.sz, nz, anchor);
}

/// **Crop**: the bounding box of the ellipse in which a slice cuts the ellipsoid.
struct GridRange {
  IndexRange x, y;

  SKDE_HOST_DEVICE std::int64_t cells() const { return std::int64_t{x.size()} * y.size(); }
};

/// The grid range of the slice `dz` above a sample at (anchor_x + x, anchor_y + y). It is empty if
/// |dz| >= sz.
template <class Real>
SKDE_HOST_DEVICE inline GridRange crop(const Ellipsoid<Real>& e, Real x, Real y, Real dz,
                                       std::int32_t nx, std::int32_t ny, std::int32_t anchor_x = 0,
                                       std::int32_t anchor_y = 0) {
  const Real u2 = dz * e.inv_sz;
  const Real r2 = Real(1) - u2 * u2;
  if (!(r2 > Real(0))) return {};
  const Real r = std::sqrt(r2);
  return {cells_within(x + e.mx * dz, r * e.ex, nx, anchor_x),
          cells_within(y + e.bzy * dz, r * e.sy, ny, anchor_y)};
}

/// **Span**: the part of a row of cells inside the ellipsoid, as centre and half width along x
/// relative to the sample; half < 0 if the row misses the ellipsoid.
template <class Real>
struct RowSpan {
  Real centre, half;
};

template <class Real>
SKDE_HOST_DEVICE inline RowSpan<Real> span(const Ellipsoid<Real>& e, Real dy, Real dz) {
  const Real u2 = dz * e.inv_sz, u1 = (dy - e.bzy * dz) * e.inv_sy;
  const Real r2 = Real(1) - u1 * u1 - u2 * u2;
  const Real centre = e.bxy * dy + e.bxz * dz;
  return {centre, r2 > Real(0) ? e.sx * std::sqrt(r2) : Real(-1)};
}

}  // namespace skde
