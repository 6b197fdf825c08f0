#pragma once

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/grid.hpp"

namespace skde {

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
