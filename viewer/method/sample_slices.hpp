#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde::view {

/// One of the slices that chop leaves of a sample's kernel.
struct SampleSlice {
  std::int32_t z = 0;         ///< index of the slice in the grid
  GridRange range;            ///< the cells that crop leaves, which are evaluated
  std::size_t first_row = 0;  ///< of SampleSlices::rows; range.y.size() rows belong to the slice
  std::int64_t inside = 0;    ///< cells within the kernel
};

/// A sample's kernel as sample-wise estimation sees it, from the chop, crop and span of the
/// engines.
struct SampleSlices {
  std::array<std::int32_t, 3> dims{};  ///< of the grid
  Ellipsoid<double> ellipsoid{};
  Vec3 position;                    ///< of the sample in cell coordinates (centres at integers)
  IndexRange z;                     ///< slices left by chop
  std::vector<SampleSlice> slices;  ///< z.size() of them, upwards
  std::vector<IndexRange> rows;     ///< cells inside the kernel, row by row, slice by slice
  GridRange bounds;                 ///< the smallest that holds the range of every slice
  CellCounts total;                 ///< over all slices

  /// The cells inside in the rows of slice.range.y.
  std::span<const IndexRange> rows_of(const SampleSlice& slice) const {
    return std::span(rows).subspan(slice.first_row, static_cast<std::size_t>(slice.range.y.size()));
  }
  std::int64_t slice_cells() const { return std::int64_t{dims[0]} * dims[1]; }
  /// Cells of the box about the kernel: slices times bounds, what chop alone would evaluate.
  std::int64_t box_cells() const { return z.size() * bounds.cells(); }
  std::int64_t grid_cells() const { return slice_cells() * dims[2]; }
  /// Index into slices of the one that is nearest to the grid's slice z; 0 where there are none.
  std::size_t nearest(double z_index) const;
};

/// The slices of a sample at `position` (world units), whose kernel in cell units is `ellipsoid`.
/// The grid's sides fit 31 bits, as require_grid_fits() has it. O(rows) of time and memory.
SampleSlices slice_sample(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position);

/// The matrix of an ellipsoid in cell units, in squared world units.
Symmetric3 world_matrix(const Ellipsoid<double>& ellipsoid, const Grid& grid);

}  // namespace skde::view
