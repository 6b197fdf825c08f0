#include "gpu/stage_timer.hpp"

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
    add_stages(times, {{stages_[k], milliseconds * 1e-3}});
  }
  return times;
}

}  // namespace skde::gpu
