#pragma once

#include <string>
#include <vector>

#include "core/report/stage_times.hpp"
#include "gpu/check.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Times the stages of work on a stream with CUDA events. Stages do not wait for each other: the
/// events are read once all work is done.
class StageTimer {
 public:
  explicit StageTimer(const Stream& stream);
  ~StageTimer();
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

  /// Assigns the work enqueued since the last mark to this stage. A stage may be marked many times.
  void mark(std::string stage);
  /// Waits for all work and returns the seconds of each stage, in the order of their first marks.
  StageTimes finish();

 private:
  cudaEvent_t record();

  const Stream& stream_;
  std::vector<cudaEvent_t> events_;
  std::vector<std::string> stages_;
};

}  // namespace skde::gpu
