#pragma once

#include <algorithm>
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

/// Predicted time and memory of a step; 0 if unknown.
struct WorkForecast {
  double seconds = 0;
  double host_bytes = 0;    ///< memory without the samples
  double result_bytes = 0;  ///< of the values that are written
  bool on_device = false;   ///< whether a GPU does the work

  friend bool operator==(const WorkForecast&, const WorkForecast&) = default;
};

/// The forecast of two steps in sequence, of which the second writes the result.
inline WorkForecast in_turn(const WorkForecast& first, const WorkForecast& second) {
  return {first.seconds + second.seconds, std::max(first.host_bytes, second.host_bytes),
          second.result_bytes, first.on_device || second.on_device};
}
/// The forecast of a step that is repeated `times` times and writes `results` times its result.
inline WorkForecast repeated(WorkForecast work, double times, double results) {
  work.seconds *= times;
  work.result_bytes *= results;
  return work;
}

}  // namespace skde
