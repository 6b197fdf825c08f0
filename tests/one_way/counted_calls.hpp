#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skde::test {

/// What was called since the last reset(), by whichever layer. The linker leads the calls here.
struct CountedCalls {
  std::vector<std::string> openings;  ///< paths, a file as often as it was opened for reading
  std::size_t grids = 0;              ///< make_grid()
  std::size_t bandwidths = 0;         ///< select_bandwidth()
  std::size_t rankings = 0;           ///< ranked_offers()
  std::size_t moments = 0;            ///< compute_moments()
  std::size_t moment_samples = 0;     ///< samples that passes went over, also in blocks

  std::size_t openings_of(const std::string& path) const;
};

/// The calls so far; by one thread or under a lock, as readers have threads of their own.
CountedCalls counted_calls();
void reset_counted_calls();

}  // namespace skde::test
