#pragma once

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"

namespace skde {

/// The two ways in which `span` adds the rows of a kernel to a slice: every cell of them
/// (SliceRows), or their ends and one sum over the slice's rows (SliceDifferences).
enum class RowMethod { vectors, differences };

/// Cells of a row from which differences are the faster way: a row costs them the same work,
/// however long it is, and the other way 16 cells a vector. Measured with AVX-512 on one thread of
/// a Xeon of 2023 by `skde-bench --engines span --threads 1` with each way forced in turn: times
/// are equal at mean rows of 34 cells (--cells 128 --bandwidth 2.2) to 38 (256, 1.25), and of 63
/// cells (256, 2) differences take 0.7 times as long.
inline constexpr double kBreakEvenRowCells = 40;

/// Mean length in cells of the rows of a kernel, clipped to the grid: the ellipsoid's volume over
/// its shadow along x.
double mean_row_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid);

/// The faster of the ways that serve the kernel and hold the precision.
RowMethod choose_row_method(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                            KernelFunction function, Precision precision);

}  // namespace skde
