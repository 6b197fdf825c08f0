#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skde {

/// Returns the rows (from 0) in ascending order of their keys; rows of equal keys keep their order.
/// There may be at most 2^32 - 1 keys. Radix sort on all cores, from the topmost bit that varies.
std::vector<std::uint32_t> sorted_order(std::span<const std::uint64_t> keys);
/// The same into the caller's memory, one row for each key.
void sort_order(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order);
/// Bytes of working memory that it takes for each key, besides the keys and the order.
inline constexpr std::size_t kOrderBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

}  // namespace skde
