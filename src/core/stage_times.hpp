#pragma once

#include <string>
#include <vector>

namespace skde {

/// How long a named stage of a computation took.
struct StageTime {
  std::string stage;
  double seconds = 0;
};
using StageTimes = std::vector<StageTime>;

/// Adds stages to others of the same names, or behind them.
void add_stages(StageTimes& total, const StageTimes& more);

}  // namespace skde
