#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engines/cpu/shared_progress.hpp"

namespace skde {

/// Returns the samples [begin, end) of thread t of n.
inline std::pair<std::size_t, std::size_t> share_of(std::size_t count, int t, int n) {
  const auto threads = static_cast<std::size_t>(n), thread = static_cast<std::size_t>(t);
  return {count * thread / threads, count * (thread + 1) / threads};
}

/// Calls body(i) for samples [begin, end) and reports them to `progress`. Stops when cancelled.
template <class Body>
void for_each_sample(std::pair<std::size_t, std::size_t> share, SharedProgress& progress,
                     Body&& body) {
  constexpr std::size_t kSamplesBetweenChecks = 1 << 18;
  for (std::size_t first = share.first; first < share.second; first += kSamplesBetweenChecks) {
    const std::size_t last = std::min(first + kSamplesBetweenChecks, share.second);
    for (std::size_t i = first; i < last; ++i) body(i);
    if (!progress.advance(last - first)) return;
  }
}

}  // namespace skde
