#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace skde {

class Progress;  // core/report/progress.hpp

/// Returns the rows (from 0) in ascending order of their keys; rows of equal keys keep their order.
/// There may be at most 2^32 - 1 keys. Radix sort on all cores, from the topmost bit that varies.
/// Throws Error(cancelled) if a progress is given.
std::vector<std::uint32_t> sorted_order(std::span<const std::uint64_t> keys,
                                        const Progress* progress = nullptr);
/// The same into the caller's memory, one row for each key.
void sort_order(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order);
/// Bytes of working memory that it takes for each key, besides the keys and the order.
inline constexpr std::size_t kOrderBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

/// Memory for one thread's sorts, which it keeps from one to the next.
class OrderMemory {
 public:
  /// Same as sort_order(), on the calling thread alone. It keeps twice kOrderBytes for each key.
  void sort(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order);

 private:
  std::array<std::vector<std::uint64_t>, 2> keys_;
  std::array<std::vector<std::uint32_t>, 2> rows_;
};

/// The bits in which some key differs from another.
std::uint64_t varying_bits(std::span<const std::uint64_t> keys);

}  // namespace skde
