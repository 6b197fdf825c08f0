#pragma once

#include <cstdint>
#include <string>

#include "core/volume.hpp"

namespace skde::view {

/// Values of a volume that no density has.
struct ValueCounts {
  std::uint64_t nan = 0, infinite = 0, negative = 0;

  /// "3 values are NaN, 1 is negative"; empty where there are none.
  std::string describe() const;
};
ValueCounts count_values(const Volume& volume);

}  // namespace skde::view
