#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace skde {

/// Reserves room and asks the system for it in huge pages: for most of the time that large arrays
/// take to be filled, it hands out small ones. Where it will not, nothing is lost but time.
template <class T>
void reserve_in_huge_pages(std::vector<T>& values, std::size_t count) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  values.reserve(count);
  void* first = values.data();
  std::size_t bytes = values.capacity() * sizeof(T);
  if (std::align(kHugePage, kHugePage, first, bytes) != nullptr)
    ::madvise(first, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
}

/// So many zeros.
template <class T>
std::vector<T> zeros_in_huge_pages(std::size_t count) {
  std::vector<T> values;
  reserve_in_huge_pages(values, count);
  values.resize(count);
  return values;
}

}  // namespace skde
