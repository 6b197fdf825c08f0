#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/grid.hpp"
#include "viewer/layers/space/readout_line.hpp"

namespace skde::view {

/// One of the slices that chop keeps of a sample's kernel.
struct SampleSlice {
  std::int32_t z = 0;         ///< index of the slice in the grid
  GridRange range;            ///< cells that crop keeps, which are evaluated
  std::size_t first_row = 0;  ///< index into SampleSlices::rows; the slice has range.y.size() rows
  std::int64_t inside = 0;    ///< cells within the kernel
};

/// A sample's kernel in sample-wise estimation, from the engines' chop, crop and span.
struct SampleSlices {
  std::array<std::int32_t, 3> dims{};  ///< of the grid
  Ellipsoid<double> ellipsoid{};
  Vec3 position;                    ///< of the sample in cell coordinates (centres at integers)
  IndexRange z;                     ///< slices kept by chop
  std::vector<SampleSlice> slices;  ///< z.size() slices, upwards
  std::vector<IndexRange> rows;     ///< cells inside the kernel, by row and slice
  GridRange bounds;                 ///< smallest range that holds the range of every slice
  CellCounts total;                 ///< sum over all slices
  KernelFunction function;          ///< for value_at()
  double cut = 1;  ///< sqrt(q) at the ellipsoid's surface, in units of the function

  /// Returns the cells inside the kernel for each row of slice.range.y.
  std::span<const IndexRange> rows_of(const SampleSlice& slice) const {
    return std::span(rows).subspan(slice.first_row, static_cast<std::size_t>(slice.range.y.size()));
  }
  std::int64_t slice_cells() const { return std::int64_t{dims[0]} * dims[1]; }
  /// Returns the cells of the box around the kernel: what chop alone would evaluate.
  std::int64_t box_cells() const { return z.size() * bounds.cells(); }
  std::int64_t grid_cells() const { return slice_cells() * dims[2]; }
  /// Returns the kernel's value at a place in cell coordinates, as a share of its value at the
  /// sample; 0 outside the ellipsoid.
  double value_at(double x, double y, double z_index) const;
  /// Returns the index into slices of the one nearest to the grid's slice z; 0 if none exist.
  std::size_t nearest(double z_index) const;
};

/// Computes the slices of a sample at `position` (world units) with kernel `ellipsoid` (cell
/// units). The grid's sides must fit 31 bits: see require_grid_fits(). O(rows) of time and memory.
SampleSlices slice_sample(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position);

/// Returns the matrix of an ellipsoid given in cell units, in squared world units.
Symmetric3 world_matrix(const Ellipsoid<double>& ellipsoid, const Grid& grid);

/// The numbers of the method for a sample: its place and kernel in cells; what chop keeps of the
/// grid; what crop keeps of the chosen slice (index into slices.slices) and of all slices; how many
/// of these cells lie inside the kernel; and the gain of each step.
struct MethodReadout {
  std::vector<ReadoutLine> sample, slice, total;
};

/// The caption of a part of the method view: its title and its counts of cells. Each has shorter
/// versions for narrow parts.
struct MethodCaption {
  std::string title, short_title;
  std::vector<std::string> counts;
};

/// The captions of the three steps (all cells, chop, crop) and of the chosen slice.
std::array<MethodCaption, 4> method_captions(const SampleSlices& slices, std::size_t slice);

MethodReadout method_readout(const SampleSlices& slices, std::size_t slice);

}  // namespace skde::view
