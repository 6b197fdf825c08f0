#include "core/kernel/kernel_shape.hpp"

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"

namespace skde {
namespace {

/// The factors of H in its own units. Differences of products of its entries lose as many digits as
/// the squared ratio of its axes has, so they are computed in higher precision. The square root of
/// the determinant is the product of the three conditional half widths.
Ellipsoid<double> factored(const Symmetric3& H) {
  return ellipsoid_of<long double>(H.xx, H.xy, H.xz, H.yy, H.yz, H.zz).cast<double>();
}

/// Converts an ellipsoid from world units to cells. It scales the factors, not H, because rounding
/// H would cost digits again.
Ellipsoid<double> over_cells(Ellipsoid<double> e, Vec3 cell) {
  e.sx /= cell.x;
  e.ex /= cell.x;
  e.rx /= cell.x;
  e.sy /= cell.y;
  e.ry /= cell.y;
  e.sz /= cell.z;
  e.bxy *= cell.y / cell.x;
  e.bxz *= cell.z / cell.x;
  e.mx *= cell.z / cell.x;
  e.bzy *= cell.z / cell.y;
  e.inv_sx = 1 / e.sx;
  e.inv_sy = 1 / e.sy;
  e.inv_sz = 1 / e.sz;
  return e;
}

}  // namespace

Symmetric3 in_cells(const Symmetric3& world, const Grid& grid) {
  const Vec3 s = grid.spacing;
  return {world.xx / (s.x * s.x), world.xy / (s.x * s.y), world.xz / (s.x * s.z),
          world.yy / (s.y * s.y), world.yz / (s.y * s.z), world.zz / (s.z * s.z)};
}

Symmetric3 in_world(const Symmetric3& cells, const Grid& grid) {
  const Vec3 s = grid.spacing;
  return {cells.xx * (s.x * s.x), cells.xy * (s.x * s.y), cells.xz * (s.x * s.z),
          cells.yy * (s.y * s.y), cells.yz * (s.y * s.z), cells.zz * (s.z * s.z)};
}

double Kernel::amplitude() const {
  const Ellipsoid<double> e = factored(H);
  return function->constant / (e.sx * e.sy * e.sz);
}

double Kernel::cut() const {
  return function->cut_at(tolerance > 0 ? tolerance : kDefaultTolerance);
}

Vec3 Kernel::half_extents() const {
  return cut() * Vec3{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)};
}

Vec3 Kernel::shown_half_extents() const {
  return std::min(1.0, function->shown / cut()) * half_extents();
}

Ellipsoid<double> Kernel::ellipsoid(const Grid& grid) const {
  return make_ellipsoid(H, grid).scaled(cut());
}

Vec3 Kernel::conditional_widths() const {
  const Ellipsoid<double> e = factored(H);
  // Uses the diagonal of H^-1, whose terms are all positive.
  const double yx = e.bxy / e.sx, zx = e.bxz / e.sx;
  const double y = 1 / e.sy, zy = e.bzy / e.sy, z = 1 / e.sz;
  return {e.sx, 1 / std::hypot(y, yx), 1 / std::hypot(z, zy, zx)};
}

double Kernel::slant() const {
  const Vec3 widths = conditional_widths();
  return std::max(
      {std::sqrt(H.xx) / widths.x, std::sqrt(H.yy) / widths.y, std::sqrt(H.zz) / widths.z});
}

std::optional<KernelSlope> slope_of(const Kernel& kernel) {
  const KernelRow& row = kernel.function.row();
  if (!row.slope) return std::nullopt;
  const double cut = kernel.cut();
  return KernelSlope{KernelFunction(*row.slope), row.slope_factor * cut * cut};
}

Ellipsoid<double> make_ellipsoid(const Symmetric3& world, const Grid& grid) {
  if (!is_positive_definite(world, 1e-14))
    throw Error(ErrorKind::input, "the bandwidth matrix H must be positive definite",
                {"bandwidth", "give another `bandwidth`"});
  const Ellipsoid<double> e = over_cells(factored(world), grid.spacing);
  if (!std::isfinite(e.inv_sx + e.inv_sy + e.inv_sz))
    throw Error(ErrorKind::input, "the bandwidth matrix H is too close to singular for this grid",
                {"bandwidth", "use `regularize=0.01`, or give another `bandwidth`"});
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
