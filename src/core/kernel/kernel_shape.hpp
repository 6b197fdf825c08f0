#pragma once

#include <optional>
#include <utility>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/with_profile.hpp"
#include "core/space.hpp"

namespace skde {

/// The kernel that every sample carries: its profile and its bandwidth matrix H (squared world
/// units). The density is f(g) = sum_i (w_i / W) amplitude() profile(q).
struct Kernel {
  KernelFunction function = KernelFunction::epanechnikov;
  Symmetric3 H;
  /// Of what lies beyond the cut of a kernel without an end; 0: kDefaultTolerance.
  double tolerance = 0;

  /// The root of q from which on it counts as 0.
  double cut() const;
  /// Share of its mass beyond the cut.
  double lost_mass() const { return function->tail(cut()); }
  /// The most that the cut changes a value by, as a share of the peak.
  double cut_error() const { return function->cut_error(cut()); }
  /// constant / sqrt(det H), in 1 / (world unit)^3.
  double amplitude() const;
  /// Half extents of its bounding box, in world units.
  Vec3 half_extents() const;
  /// Those of what a default box keeps of it: all of a kernel that has an end, else as much as
  /// people look at.
  Vec3 shown_half_extents() const;
  /// The ellipsoid within which it is not 0, in units of the grid's cells. Throws as
  /// make_ellipsoid.
  Ellipsoid<double> ellipsoid(const Grid& grid) const;
  /// Half widths of u^T H^-1 u < 1 along the axes through its centre, in world units: 1 / sqrt of
  /// the diagonal of H^-1.
  Vec3 conditional_widths() const;
  /// How much longer it is along an axis of the grid than where the two others are kept, at the
  /// most: 1 for kernels along the axes, and for needles between them the ratio of their own axes.
  /// Differences of coordinates in q lose as many digits.
  double slant() const;

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// A profile that engines evaluate as a row of the table, times a factor.
struct KernelSlope {
  KernelFunction function;
  double factor = 0;
};
/// The derivative of the kernel's profile, as engines evaluate it, by its argument; nothing where
/// it is flat or not known.
std::optional<KernelSlope> slope_of(const Kernel& kernel);

/// Calls `body` with the profile that engines evaluate: with_profile(kernel, [&](const auto&
/// profile) { ... }); its argument is 1 on the surface of the kernel's ellipsoid.
template <class Body>
decltype(auto) with_profile(const Kernel& kernel, Body&& body) {
  return with_profile(kernel.function, kernel.cut(), std::forward<Body>(body));
}

/// A matrix of squared world units in squared cells.
Symmetric3 in_cells(const Symmetric3& world, const Grid& grid);

/// The ellipsoid of the bandwidth matrix H = `world` (squared world units) in units of the grid's
/// cells. Throws Error(input) where H is not positive definite.
Ellipsoid<double> make_ellipsoid(const Symmetric3& world, const Grid& grid);

/// The shortest half axis of the ellipsoid of H = `world` in cells, however it is turned.
double thinnest_half_width(const Symmetric3& world, const Grid& grid);

/// Cells that the chop and crop of one sample touch, for readouts and for counting work.
struct CellCounts {
  std::int64_t slices = 0;     ///< slices left by chop
  std::int64_t full = 0;       ///< cells of those slices
  std::int64_t rows = 0;       ///< rows of cells that the kernel meets
  std::int64_t evaluated = 0;  ///< cells of the cropped boxes
  std::int64_t inside = 0;     ///< cells with q < 1: the updates of the volume

  CellCounts& operator+=(const CellCounts& other);
};

/// Counts for a sample at `position` (world units), from chop, crop and span; O(rows).
CellCounts count_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position);

}  // namespace skde
