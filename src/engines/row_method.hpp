#pragma once

#include "core/ellipsoid.hpp"
#include "core/grid.hpp"
#include "core/kernel_function.hpp"

namespace skde {

/// The two ways in which `span` adds the rows of a kernel to a slice: every cell of them
/// (SliceRows), or their ends and one sum over the slice's rows (SliceDifferences).
enum class RowMethod { vectors, differences };

/// Cells of a row from which differences are the faster way with AVX-512: the row costs them the
/// same work, however long it is, and the others 16 cells a vector. Measured on one core of a Xeon
/// of 2023 (Sapphire Rapids), best of 9 runs of `skde-bench --engines span --threads 1` with each
/// way forced, at 128, 256 and 512 cells a side and h from 0.5 to 3.
inline constexpr double kBreakEvenRowCells = 36;

/// Mean length in cells of the rows of a kernel, clipped to the grid: the ellipsoid's volume over
/// its shadow along x.
double mean_row_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid);

/// The faster of the ways that serve the kernel and hold the precision.
RowMethod choose_row_method(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                            KernelFunction function, Precision precision);

}  // namespace skde
