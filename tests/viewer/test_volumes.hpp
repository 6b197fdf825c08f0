#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/space/volume.hpp"

namespace skde::test {

/// Returns a volume of f(centre of each cell).
inline Volume volume_of(const Grid& grid, const std::function<double(Vec3)>& f) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(grid.cells()));
  for (std::int64_t k = 0; k < grid.dims[2]; ++k)
    for (std::int64_t j = 0; j < grid.dims[1]; ++j)
      for (std::int64_t i = 0; i < grid.dims[0]; ++i)
        values.push_back(static_cast<float>(f(grid.centre(i, j, k))));
  return {grid, std::move(values)};
}

/// Returns values over many decades, some of them 0.
inline Volume random_volume(const Grid& grid) {
  std::uint64_t cell = 0;
  return volume_of(grid, [&](Vec3) {
    const double u = static_cast<double>((++cell * 0x9E3779B97F4A7C15U) >> 11) * 0x1p-53;
    return u < 0.2 ? 0.0 : std::pow(10.0, -9 * u) * 3;
  });
}

}  // namespace skde::test
