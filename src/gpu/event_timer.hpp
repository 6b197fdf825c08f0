#pragma once

#include "gpu/check.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Times work on a stream with a pair of CUDA events.
class EventTimer {
 public:
  EventTimer() {
    check(cudaEventCreate(&begin_), "create an event");
    check(cudaEventCreate(&end_), "create an event");
  }
  ~EventTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void start(const Stream& stream) {
    check(cudaEventRecord(begin_, stream.get()), "record an event");
  }
  /// Waits for the work since start() and gives its seconds.
  double stop(const Stream& stream) {
    check(cudaEventRecord(end_, stream.get()), "record an event");
    check(cudaEventSynchronize(end_), "wait for the GPU");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "read an event");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace skde::gpu
