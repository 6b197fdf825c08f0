#pragma once

#include <optional>
#include <utility>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/with_profile.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde {

/// The kernel of every sample: its profile and its bandwidth matrix H (squared world units). The
/// density is f(g) = sum_i (w_i / W) amplitude() profile(q).
struct Kernel {
  KernelFunction function = KernelFunction::epanechnikov;
  Symmetric3 H;
  /// Tolerance of the cut of an unbounded kernel, as a share of the peak; 0: kDefaultTolerance.
  double tolerance = 0;

  /// Returns the sqrt(q) from which on the kernel counts as 0.
  double cut() const;
  /// The most by which the cut changes a value, as a share of the peak.
  double cut_error() const { return function->cut_error(cut()); }
  /// constant / sqrt(det H), in 1 / (world unit)^3.
  double amplitude() const;
  /// Half extents of the kernel's bounding box, in world units.
  Vec3 half_extents() const;
  /// Half extents of the part that a default box keeps: all of a kernel with bounded support, or
  /// the visible part of an unbounded one.
  Vec3 shown_half_extents() const;
  /// Returns the ellipsoid within which the kernel is not 0, in units of the grid's cells. Throws
  /// what make_ellipsoid throws.
  Ellipsoid<double> ellipsoid(const Grid& grid) const;
  /// Half widths of u^T H^-1 u < 1 along the axes through its centre, in world units: 1 over the
  /// square roots of the diagonal of H^-1.
  Vec3 conditional_widths() const;
  /// Returns the largest ratio, over the grid's axes, of the kernel's half extent to its half width
  /// with the other two coordinates fixed. It is 1 for kernels along the axes and, for diagonal
  /// needles, the ratio of their own axes. In q, differences of coordinates lose as many digits as
  /// it has.
  double slant() const;

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// A profile that engines evaluate: a row of the table, times a factor.
struct KernelSlope {
  KernelFunction function;
  double factor = 0;
};
/// Returns the derivative of the kernel's profile by its argument, as engines evaluate it; none if
/// it is flat or not known.
std::optional<KernelSlope> slope_of(const Kernel& kernel);

/// Calls `body` with the profile that engines evaluate: with_profile(kernel, [&](const auto&
/// profile) { ... }). The profile's argument is 1 on the surface of the kernel's ellipsoid.
template <class Body>
decltype(auto) with_profile(const Kernel& kernel, Body&& body) {
  return with_profile(kernel.function, kernel.cut(), std::forward<Body>(body));
}

/// Converts a matrix from squared world units to squared cells.
Symmetric3 in_cells(const Symmetric3& world, const Grid& grid);
/// Converts a matrix from squared cells to squared world units.
Symmetric3 in_world(const Symmetric3& cells, const Grid& grid);

/// Returns the ellipsoid of the bandwidth matrix H = `world` (squared world units) in units of the
/// grid's cells. Throws Error(input) if H is not positive definite.
Ellipsoid<double> make_ellipsoid(const Symmetric3& world, const Grid& grid);

/// Returns the shortest half axis, in cells, of the ellipsoid of H = `world` in any orientation.
double thinnest_half_width(const Symmetric3& world, const Grid& grid);

/// Cells that chop and crop touch for one sample, for reports and for counting work.
struct CellCounts {
  std::int64_t slices = 0;     ///< slices left by chop
  std::int64_t full = 0;       ///< cells of those slices
  std::int64_t rows = 0;       ///< rows of cells that the kernel meets
  std::int64_t evaluated = 0;  ///< cells of the cropped boxes
  std::int64_t inside = 0;     ///< cells with q < 1: the updates of the volume

  CellCounts& operator+=(const CellCounts& other);
};

/// Returns the counts for a sample at `position` (world units), from chop, crop and span; O(rows).
CellCounts count_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position);

}  // namespace skde
