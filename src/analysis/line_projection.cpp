#include "analysis/line_projection.hpp"

#include <utility>

namespace skde {
namespace {

/// Returns a plane of zeros for a volume: columns along the first of the other axes.
Projection empty_plane(const Grid& grid, int axis) {
  Projection plane;
  plane.columns_axis = axis == 0 ? 1 : 0;
  plane.rows_axis = axis == 2 ? 1 : 2;
  plane.width = grid.dims[static_cast<std::size_t>(plane.columns_axis)];
  plane.height = grid.dims[static_cast<std::size_t>(plane.rows_axis)];
  plane.values.resize(static_cast<std::size_t>(plane.width * plane.height));
  return plane;
}

template <class Real>
void add_values(std::span<const Real> values, const Grid& grid, int axis, Projection& plane) {
  const auto& [nx, ny, nz] = grid.dims;
  const Real* row = values.data();
  for (std::int64_t k = 0; k < nz; ++k)
    for (std::int64_t j = 0; j < ny; ++j, row += nx) {
      double* const to = plane.values.data() + (axis == 0   ? j + ny * k
                                                : axis == 1 ? nx * k
                                                            : nx * j);
      for (std::int64_t i = 0; i < nx; ++i) to[axis == 0 ? 0 : i] += static_cast<double>(row[i]);
    }
}

}  // namespace

Projection line_integrals(const Volume& volume, int axis) {
  const Grid& grid = volume.grid();
  Projection plane = empty_plane(grid, axis);
  std::visit([&](auto values) { add_values(values, grid, axis, plane); }, volume.value_span());
  for (double& value : plane.values) value *= grid.spacing[axis];
  return plane;
}

Projection line_maxima(const Volume& volume, int axis) {
  MaximumProjector projector(volume.grid().dims);
  projector.add(0, volume);
  Projections all = projector.take_projections();
  if (axis == 2) return std::move(all.xy);
  if (axis == 1) return std::move(all.xz);
  Projection plane = empty_plane(volume.grid(), axis);
  for (std::int64_t row = 0; row < plane.height; ++row)
    for (std::int64_t column = 0; column < plane.width; ++column)
      plane.values[static_cast<std::size_t>(row * plane.width + column)] = all.zy.at(row, column);
  return plane;
}

}  // namespace skde
