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

/// Adds each stage of `more` to the stage of the same name, or appends it.
void add_stages(StageTimes& total, const StageTimes& more);

/// Returns the result of `work`, and appends the time it took by the host's clock.
template <class Work>
auto timed_stage(StageTimes& stages, std::string name, Work&& work) {
  const StopWatch watch;
  auto result = work();
  stages.push_back({std::move(name), watch.seconds()});
  return result;
}

}  // namespace skde
