#pragma once

#include <cstdint>

namespace skde::kernels {

/// Stands for the type of values where keys are sorted alone.
struct NoValue {};

/// Arrays in device memory that are sorted together in ascending order of the keys. The sorters
/// exist for std::uint32_t and std::uint64_t keys alone, and for pairs of a std::uint64_t key and a
/// std::uint32_t value.
template <class Key, class Value = NoValue>
struct SortArrays {
  Key* keys = nullptr;
  Value* values = nullptr;  ///< not read where there are none
  std::int64_t count = 0;
};

}  // namespace skde::kernels
