#pragma once

#include <cstddef>
#include <vector>

#include "core/cloud/counter_random.hpp"

namespace skde::test {

/// (items, columns) values drawn uniformly from [0, 1), the same each time.
inline std::vector<float> uniform_values(std::size_t items, std::size_t columns) {
  std::vector<float> values(items * columns);
  Draws draws = CounterRandom(7, 0).at(items);
  for (float& value : values) value = static_cast<float>(draws.uniform());
  return values;
}

}  // namespace skde::test
