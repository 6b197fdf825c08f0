#include "analysis/plane_slice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/error.hpp"

namespace skde {

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
  Projection plane;
  plane.columns_axis = axis == 0 ? 1 : 0;
  plane.rows_axis = axis == 2 ? 1 : 2;
  plane.width = grid.dims[static_cast<std::size_t>(plane.columns_axis)];
  plane.height = grid.dims[static_cast<std::size_t>(plane.rows_axis)];
  plane.values.reserve(static_cast<std::size_t>(plane.width * plane.height));
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
      plane.values.push_back(share == 0 ? value(below)
                                        : (1 - share) * value(below) + share * value(above));
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

}  // namespace skde
