#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace skde::test {

/// Returns the indices of all cells of a grid with these dims, x fastest.
inline std::vector<std::array<std::int64_t, 3>> cells_of(const std::array<std::int64_t, 3>& dims) {
  std::vector<std::array<std::int64_t, 3>> cells;
  for (std::int64_t z = 0; z < dims[2]; ++z)
    for (std::int64_t y = 0; y < dims[1]; ++y)
      for (std::int64_t x = 0; x < dims[0]; ++x) cells.push_back({x, y, z});
  return cells;
}

}  // namespace skde::test
