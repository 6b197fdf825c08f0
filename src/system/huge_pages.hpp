#pragma once

#include <cstddef>
#include <vector>

#include "system/host_memory.hpp"

namespace skde {

/// Reserves capacity, in huge pages if the system provides them.
template <class T>
void reserve_in_huge_pages(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  ask_for_huge_pages(values.data(), values.capacity() * sizeof(T));
}

/// Returns `count` zeros, in huge pages if the system provides them.
template <class T>
std::vector<T> zeros_in_huge_pages(std::size_t count) {
  std::vector<T> values;
  reserve_in_huge_pages(values, count);
  hand_out_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

}  // namespace skde
