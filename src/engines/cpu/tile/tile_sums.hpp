#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/cell_nodes.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "engines/cpu/tile/tile_order.hpp"

namespace skde {

/// A sample as a tile sees it: its cell is relative to the tile's first cell.
template <class Real>
struct TileSample {
  std::array<std::int32_t, 3> cell;
  std::array<Real, 3> offset;
  Real weight;

  TileSample(const SliceSample<Real>& s, const CellBox& tile) : weight(s.weight) {
    constexpr std::int64_t kFarthest = 2147483646;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t at = std::int64_t{s.cell[axis]} - tile.axes[axis].begin;
      const std::int64_t held = std::max(at, -kFarthest);
      cell[axis] = static_cast<std::int32_t>(held);
      offset[axis] = s.offset[axis] + static_cast<Real>(at - held);
    }
  }
  /// Distance from the sample to the centre of a cell of the tile.
  Real distance(std::int32_t at, std::size_t axis) const {
    return static_cast<Real>(std::int64_t{at} - cell[axis]) - offset[axis];
  }
};

/// The sums of a tile, a box of cells, while a thread works on it. A slice is summed in Real over
/// so few kernels that rounding stays below one kernel's contribution, then added in double.
/// The sums of several threads lie side by side, in cache lines of their own.
template <class Real>
class alignas(64) TileSums {
 public:
  static constexpr int kLanes = 64 / sizeof(Real);                        ///< of a vector
  static constexpr std::int32_t kColumns = 128, kRows = 16, kSlices = 8;  ///< of a tile, at most
  static constexpr std::int32_t kMostKernels = 32;  ///< that a slice sums in Real

  /// Rows are padded, so that whole vectors may be written past their ends.
  static constexpr std::size_t kStride = kColumns + kLanes;

  TileSums();
  static double bytes();

  /// Begins a tile of the grid. All sums are 0, as they are left by move_to().
  void begin(const CellBox& box);
  /// Adds the parts of the kernels that lie in the tile. `ellipsoids` holds one per sample; it is
  /// null if all have the common one. With `nodes`, cells take means by them. Uses the best of the
  /// AVX-512, AVX2 and generic versions that this machine runs.
  void add(std::span<const SliceSample<Real>> samples, const Ellipsoid<Real>* ellipsoids,
           const Ellipsoid<Real>& common, const Kernel& kernel,
           const CellNodes<Real>* nodes = nullptr);
  /// Adds the sums to the values of a grid with nx * ny cells per slice, and sets them to 0.
  void move_to(Real* values, std::int64_t nx, std::int64_t ny);

  const CellBox& box() const { return box_; }
  std::int32_t columns() const { return box_.axes[0].size(); }
  std::int32_t rows() const { return box_.axes[1].size(); }
  std::int32_t slices() const { return box_.axes[2].size(); }

  // The cells of row (y, z) of the tile.
  Real* row(std::int32_t y, std::int32_t z) { return cells_.data() + at(y, z) * kStride; }
  /// Counts a kernel that was added to slice z, and flushes the slice at kMostKernels.
  void count(std::int32_t z) {
    if (++kernels_[static_cast<std::size_t>(z)] >= kMostKernels) flush(z);
  }

 private:
  static std::size_t at(std::int32_t y, std::int32_t z) {
    return static_cast<std::size_t>(z) * kRows + static_cast<std::size_t>(y);
  }
  void flush(std::int32_t z);

  CellBox box_;
  std::vector<Real> cells_;
  std::vector<double> sums_;
  std::array<std::int32_t, kSlices> kernels_{};  ///< in cells_, per slice
  std::array<bool, kSlices> summed_{};           ///< slices with values in sums_
};

}  // namespace skde
