#include "core/kernel_shape.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace skde {
Symmetric3 in_cells(const Symmetric3& m, const Grid& grid) {
  const Vec3 s = grid.spacing;
  return {m.xx / (s.x * s.x), m.xy / (s.x * s.y), m.xz / (s.x * s.z),
          m.yy / (s.y * s.y), m.yz / (s.y * s.z), m.zz / (s.z * s.z)};
}

double Kernel::amplitude() const { return function->constant / std::sqrt(H.determinant()); }

double Kernel::cut() const {
  return function->cut_at(tolerance > 0 ? tolerance : kDefaultTolerance);
}

Vec3 Kernel::half_extents() const {
  return cut() * Vec3{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)};
}

Vec3 Kernel::shown_half_extents() const {
  constexpr double kShown = 4;  // deviations, beyond which a thousandth of a Gaussian lies
  return std::min(1.0, kShown / cut()) * half_extents();
}

Ellipsoid<double> Kernel::ellipsoid(const Grid& grid) const {
  return make_ellipsoid((cut() * cut()) * H, grid);
}

Ellipsoid<double> make_ellipsoid(const Symmetric3& world, const Grid& grid) {
  if (!is_positive_definite(world, 1e-14))
    throw Error(ErrorKind::input, "the bandwidth matrix H is not positive definite");
  const Symmetric3 h = in_cells(world, grid);
  const auto e = ellipsoid_of(h.xx, h.xy, h.xz, h.yy, h.yz, h.zz);
  if (!std::isfinite(e.inv_sx + e.inv_sy + e.inv_sz))
    throw Error(ErrorKind::input, "the bandwidth matrix H is too close to singular for this grid",
                {"bandwidth", "use `regularize`"});
  return e;
}

double thinnest_half_width(const Symmetric3& world, const Grid& grid) {
  return std::sqrt(std::max(0.0, eigen_decomposition(in_cells(world, grid)).values[0]));
}

CellCounts& CellCounts::operator+=(const CellCounts& other) {
  slices += other.slices;
  full += other.full;
  rows += other.rows;
  evaluated += other.evaluated;
  inside += other.inside;
  return *this;
}

CellCounts count_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position) {
  const Vec3 c = grid.to_cells(position);
  const auto nx = static_cast<std::int32_t>(grid.dims[0]);
  const auto ny = static_cast<std::int32_t>(grid.dims[1]);
  const auto nz = static_cast<std::int32_t>(grid.dims[2]);
  CellCounts counts;
  const IndexRange slices = chop(ellipsoid, c.z, nz);
  counts.slices = slices.size();
  counts.full = std::int64_t{slices.size()} * nx * ny;
  for (std::int32_t z = slices.begin; z < slices.end; ++z) {
    const GridRange range = crop(ellipsoid, c.x, c.y, z - c.z, nx, ny);
    counts.evaluated += range.cells();
    for (std::int32_t y = range.y.begin; y < range.y.end; ++y) {
      const RowSpan<double> row = span(ellipsoid, y - c.y, z - c.z);
      if (row.half < 0) continue;
      ++counts.rows;
      counts.inside += cells_within(c.x + row.centre, row.half, nx).size();
    }
  }
  return counts;
}

}  // namespace skde
