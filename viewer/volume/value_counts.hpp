#pragma once

#include <cstdint>
#include <string>

#include "core/space/volume.hpp"

namespace skde::view {

/// Counts of a volume's values that no density can have.
struct ValueCounts {
  std::uint64_t nan = 0, infinite = 0, negative = 0;

  /// Returns for example "3 values are NaN, 1 is negative"; empty if there are none.
  std::string describe() const;
};
ValueCounts count_values(const Volume& volume);

}  // namespace skde::view
