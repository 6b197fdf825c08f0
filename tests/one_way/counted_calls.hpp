#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skde::test {

/// The calls since the last reset_counted_calls(), from any layer. The linker redirects the calls
/// here.
struct CountedCalls {
  std::vector<std::string> openings;  ///< one path per opening for reading
  std::size_t grids = 0;              ///< make_grid()
  std::size_t bandwidths = 0;         ///< select_bandwidth()
  std::size_t rankings = 0;           ///< ranked_offers()
  std::size_t moments = 0;            ///< compute_moments()
  std::size_t moment_samples = 0;     ///< samples that passes visited, also in blocks

  std::size_t openings_of(const std::string& path) const;
};

/// Returns the calls so far. Counting is locked, because readers have threads of their own.
CountedCalls counted_calls();
void reset_counted_calls();

}  // namespace skde::test
