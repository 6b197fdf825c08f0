#pragma once

#include <cstddef>

namespace skde {

/// Samples or points [first, last) in their order.
struct SampleRange {
  std::size_t first = 0, last = 0;

  std::size_t size() const { return last - first; }
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

}  // namespace skde
