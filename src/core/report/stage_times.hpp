#pragma once

#include <string>
#include <utility>
#include <vector>

#include "system/stop_watch.hpp"

namespace skde {

/// How long a named stage of a computation took.
struct StageTime {
  std::string stage;
  double seconds = 0;
};
using StageTimes = std::vector<StageTime>;

/// Adds stages to others of the same names, or behind them.
void add_stages(StageTimes& total, const StageTimes& more);

/// Returns what `work` does, and appends the time that it took by the host's clock.
template <class Work>
auto timed_stage(StageTimes& stages, std::string name, Work&& work) {
  const StopWatch watch;
  auto result = work();
  stages.push_back({std::move(name), watch.seconds()});
  return result;
}

}  // namespace skde
