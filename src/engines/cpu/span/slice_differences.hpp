#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/grid.hpp"
#include "engines/cpu/span/slice_spans.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// One z-slice of the grid as differences along its rows, in 64-bit fixed point. Along a row a
/// kernel is a polynomial on an interval. Its differences of order degree + 1 are 0 except at the
/// two ends, so a row costs the same work however long it is. Sums along x turn differences into
/// values. The sums are exact: what begins at one end ends at the other to the last bit, and cells
/// that no kernel covers are 0.
class SliceDifferences {
 public:
  /// Most samples per call of add(): fixed point has no digits for more.
  static constexpr std::size_t kMostSamples = 1 << 16;

  /// True for the uniform and the Epanechnikov kernel, on rows of up to a million cells. Sums of
  /// higher powers, and rounding errors along longer rows, would leave too few digits.
  static bool serves(KernelFunction function, std::int64_t nx);

  SliceDifferences(std::int32_t nx, std::int32_t ny);
  static double bytes(std::int32_t nx, std::int32_t ny);

  /// Adds the part of the samples' kernels that lies in slice z to the nx * ny sums at `slice`,
  /// which are floats or doubles.
  template <class Sum>
  void add(std::span<const SliceSample<float>> samples, std::int32_t z, KernelFunction function,
           const Ellipsoid<float>& ellipsoid, Sum* slice);

  std::int32_t nx() const { return nx_; }
  std::int32_t ny() const { return ny_; }
  std::uint64_t* row(std::int32_t y) { return cells_.data() + std::int64_t{y} * stride_; }

  /// Both ends of the rows of one sample, with the value and the first difference at each.
  struct Ends {
    SliceSpans<float> spans;
    std::vector<std::uint64_t> first_value, first_slope, end_value, end_slope;

    explicit Ends(std::int32_t ny);
  };
  Ends& ends() { return ends_; }
  std::vector<std::int64_t>& sums() { return sums_; }

 private:
  std::int32_t nx_, ny_;
  std::int64_t stride_;
  std::vector<std::uint64_t> cells_;  // unsigned, as differences wrap; their sums do not
  std::vector<std::int64_t> sums_;    // of one row
  Ends ends_;
};

/// The two ways in which `span` adds the rows of a kernel to a slice: every cell of them
/// (SliceRows), or only their ends and then one sum along the slice's rows (SliceDifferences).
enum class RowMethod { vectors, differences };

/// Mean row length in cells from which differences are faster. Their cost per row does not depend
/// on its length; the other way adds 16 cells per vector. Measured with AVX-512 on one thread of a
/// Xeon of 2023 by `skde-bench --engines span --threads 1` with each way forced in turn: times are
/// equal at mean rows of 34 cells (--cells 128 --bandwidth 2.2) to 38 (256, 1.25); at 63 cells
/// (256, 2) differences take 0.7 times as long.
inline constexpr double kBreakEvenRowCells = 40;

/// Returns the mean length in cells of the rows of a kernel, clipped to the grid: the ellipsoid's
/// volume over the area of its shadow along x.
double mean_row_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid);

/// Returns the fastest way that serves the kernel and holds the precision.
RowMethod choose_row_method(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                            KernelFunction function, Precision precision);

}  // namespace skde
