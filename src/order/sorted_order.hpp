#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skde {

/// Returns the rows (from 0) in ascending order of their keys; rows of equal keys keep their order.
/// There may be at most 2^32 - 1 keys.
std::vector<std::uint32_t> sorted_order(std::span<const std::uint64_t> keys);

}  // namespace skde
