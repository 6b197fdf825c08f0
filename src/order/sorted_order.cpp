#include "order/sorted_order.hpp"

#include <algorithm>
#include <numeric>

namespace skde {

std::vector<std::uint32_t> sorted_order(std::span<const std::uint64_t> keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return keys[row]; });
  return order;
}

}  // namespace skde
