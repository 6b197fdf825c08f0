#pragma once

#include <algorithm>

namespace skde {

/// What a piece of work would take, as far as that is known before it begins; 0 where it is not.
struct WorkForecast {
  double seconds = 0;
  double host_bytes = 0;    ///< of memory, beside the samples
  double result_bytes = 0;  ///< of the values that are written
  bool on_device = false;   ///< a GPU does it

  friend bool operator==(const WorkForecast&, const WorkForecast&) = default;
};

/// Of two pieces of work, one after the other; the second one writes.
inline WorkForecast in_turn(const WorkForecast& first, const WorkForecast& second) {
  return {first.seconds + second.seconds, std::max(first.host_bytes, second.host_bytes),
          second.result_bytes, first.on_device || second.on_device};
}
/// Of one that is done so often and writes so many times as much.
inline WorkForecast repeated(WorkForecast work, double times, double results) {
  work.seconds *= times;
  work.result_bytes *= results;
  return work;
}

}  // namespace skde
