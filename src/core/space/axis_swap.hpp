#pragma once

#include <utility>

#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde {

/// A swap of two axes. If both are the same, nothing changes.
struct AxisSwap {
  int a = 0, b = 0;

  Vec3 of(Vec3 v) const {
    std::swap(v[a], v[b]);
    return v;
  }
  Symmetric3 of(const Symmetric3& m) const {
    int axis[3] = {0, 1, 2};
    std::swap(axis[a], axis[b]);
    const auto at = [&](int row, int column) { return m(axis[row], axis[column]); };
    return {at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)};
  }
  Grid of(Grid grid) const {
    grid.lower = of(grid.lower);
    grid.spacing = of(grid.spacing);
    std::swap(grid.dims[static_cast<std::size_t>(a)], grid.dims[static_cast<std::size_t>(b)]);
    return grid;
  }
};

/// Returns the swap for a grid whose rows have one cell: rows then run along the next axis that has
/// more. The values keep their order, so the swap needs no undoing.
inline AxisSwap longer_rows(const Grid& grid) {
  if (grid.dims[0] > 1) return {};
  return {0, grid.dims[1] > 1 ? 1 : 2};
}

}  // namespace skde
