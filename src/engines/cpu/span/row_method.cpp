#include "engines/cpu/span/row_method.hpp"

#include <algorithm>

#include "engines/cpu/span/slice_differences.hpp"

namespace skde {

double mean_row_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid) {
  return std::min(4.0 / 3 * ellipsoid.sx, static_cast<double>(grid.dims[0]));
}

RowMethod choose_row_method(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                            KernelFunction function, Precision precision) {
  const bool serves =
      precision == Precision::f32 && SliceDifferences::serves(function, grid.dims[0]);
  return serves && mean_row_cells(ellipsoid, grid) >= kBreakEvenRowCells ? RowMethod::differences
                                                                         : RowMethod::vectors;
}

}  // namespace skde
