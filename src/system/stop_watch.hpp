#pragma once

#include <chrono>

namespace skde {

/// A stopwatch that starts when it is constructed.
class StopWatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace skde
