#include "analysis/volume_planes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"

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

Projection plane_slice(const Volume& volume, int axis, double at) {
  const Grid& grid = volume.grid();
  const Box box = grid.bounds();
  if (!(at >= box.lower[axis] && at <= box.upper[axis]))
    throw Error(ErrorKind::usage,
                fmt::format("{} = {} is outside the box, which spans {} to {}",
                            kAxisNames[static_cast<std::size_t>(axis)], at, box.lower[axis],
                            box.upper[axis]),
                {"at", "give a position within it"});
  const std::int64_t last = grid.dims[static_cast<std::size_t>(axis)] - 1;
  const double cell = std::clamp((at - grid.first_centre()[axis]) / grid.spacing[axis], 0.0,
                                 static_cast<double>(last));
  const auto below = static_cast<std::int64_t>(cell), above = std::min(below + 1, last);
  const double share = cell - static_cast<double>(below);
  Projection plane = empty_plane(grid, axis);
  double* to = plane.values.data();
  std::array<std::int64_t, 3> cells{};
  const auto value = [&](std::int64_t layer) {
    cells[static_cast<std::size_t>(axis)] = layer;
    return volume.at(cells[0], cells[1], cells[2]);
  };
  for (std::int64_t row = 0; row < plane.height; ++row)
    for (std::int64_t column = 0; column < plane.width; ++column) {
      cells[static_cast<std::size_t>(plane.columns_axis)] = column;
      cells[static_cast<std::size_t>(plane.rows_axis)] = row;
      // On a layer, the other one must not count, even if it is not finite.
      *to++ = share == 0 ? value(below) : (1 - share) * value(below) + share * value(above);
    }
  return plane;
}

std::vector<double> even_places(const Grid& grid, int axis, int count) {
  const Box box = grid.bounds();
  std::vector<double> places;
  places.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    places.push_back(box.lower[axis] + (i + 0.5) / count * box.extent()[axis]);
  return places;
}

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
