#include "gpu/stage_timer.hpp"

#include <algorithm>
#include <utility>

namespace skde::gpu {

StageTimer::StageTimer(const Stream& stream) : stream_(stream) { events_.push_back(record()); }

StageTimer::~StageTimer() {
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
}

cudaEvent_t StageTimer::record() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "create an event");
  check(cudaEventRecord(event, stream_.get()), "record an event");
  return event;
}

void StageTimer::mark(std::string stage) {
  events_.push_back(record());
  stages_.push_back(std::move(stage));
}

StageTimes StageTimer::finish() {
  stream_.wait();
  StageTimes times;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_[k], events_[k + 1]), "read an event");
    const auto same = std::find_if(times.begin(), times.end(),
                                   [&](const StageTime& t) { return t.stage == stages_[k]; });
    if (same == times.end())
      times.push_back({stages_[k], milliseconds * 1e-3});
    else
      same->seconds += milliseconds * 1e-3;
  }
  return times;
}

}  // namespace skde::gpu
