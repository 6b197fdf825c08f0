#pragma once

#include <chrono>
#include <string>
#include <utility>
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

/// Returns what `work` does, and appends the time that it took by the host's clock.
template <class Work>
auto timed_stage(StageTimes& stages, std::string name, Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  stages.push_back({std::move(name), seconds.count()});
  return result;
}

}  // namespace skde
