#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skde::view {

/// What a fit has reached. Between fits, that of the last one.
struct FitStatus {
  bool busy = false;
  std::string stage{};  ///< for example "start"
  std::int64_t step = 0, steps = 0;
  std::vector<float> errors{};  ///< relative errors, in the order of the steps
};

}  // namespace skde::view
