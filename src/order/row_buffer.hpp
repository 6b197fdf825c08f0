#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "system/host_memory.hpp"

namespace skde {

/// Memory for many values, not touched before they are written, in huge pages where there are any.
template <class T>
class RawBuffer {
 public:
  explicit RawBuffer(std::size_t count) : values_(new T[count]), count_(count) {
    ask_for_huge_pages(values_.get(), count * sizeof(T));
  }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  std::span<T> first(std::size_t count) { return {values_.get(), count}; }
  std::size_t size() const { return count_; }

 private:
  std::unique_ptr<T[]> values_;  // NOLINT(modernize-avoid-c-arrays)
  std::size_t count_;
};

namespace detail {

/// `Bytes` 0 means any size; with a size known to the compiler, a copy is a few instructions.
template <std::size_t Bytes>
void gather(const char* rows, std::size_t row_bytes, std::span<const std::uint32_t> order,
            char* to) {
  constexpr std::size_t kAhead = 24;  // rows are far apart: their cache lines are asked for in time
  const std::size_t bytes = Bytes == 0 ? row_bytes : Bytes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) __builtin_prefetch(rows + order[i + kAhead] * bytes);
    std::memcpy(to + i * bytes, rows + order[i] * bytes, bytes);
  }
}

}  // namespace detail

/// Copies rows one after another to `to`, in this order.
inline void gather_rows(const char* rows, std::size_t row_bytes,
                        std::span<const std::uint32_t> order, char* to) {
  switch (row_bytes) {
    case 12:
      return detail::gather<12>(rows, row_bytes, order, to);
    case 16:
      return detail::gather<16>(rows, row_bytes, order, to);
    case 24:
      return detail::gather<24>(rows, row_bytes, order, to);
    case 32:
      return detail::gather<32>(rows, row_bytes, order, to);
    default:
      return detail::gather<0>(rows, row_bytes, order, to);
  }
}

}  // namespace skde
