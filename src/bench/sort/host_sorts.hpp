#pragma once

#include "bench/sort/sorters.hpp"

namespace skde::bench {

/// Sorts keys by std::sort, and pairs by std::stable_sort of structures of both, on one core.
std::unique_ptr<SortRun> begin_std_sort(const SortItems& items, int device);
/// Sorts by sorted_order, whose 64-bit keys 32-bit ones are widened to, and gathers the keys. Its
/// order is the values of pairs.
std::unique_ptr<SortRun> begin_order_sort(const SortItems& items, int device);

}  // namespace skde::bench
