#pragma once

#include "core/ellipsoid.hpp"
#include "core/grid.hpp"
#include "core/kernel_function.hpp"
#include "core/symmetric3.hpp"

namespace skde {

/// The kernel that every sample carries: its profile and its bandwidth matrix H (squared world
/// units). The density is f(g) = sum_i (w_i / W) amplitude() (1 - q)^p.
struct Kernel {
  KernelFunction function = KernelFunction::epanechnikov;
  Symmetric3 H;

  /// c_p / sqrt(det H), in 1 / (world unit)^3.
  double amplitude() const;
  /// Half extents of its bounding box, in world units.
  Vec3 half_extents() const;
  /// How much longer it is along an axis of the grid than where the two others are kept, at the
  /// most: 1 for kernels along the axes, and for needles between them the ratio of their own axes.
  /// Differences of coordinates in q lose as many digits.
  double slant() const;

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

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
