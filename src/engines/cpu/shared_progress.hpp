#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "core/progress.hpp"

namespace skde {

/// Counts work that threads finish, reports it, and tells them to stop; exceptions of the progress
/// wait until the threads have joined.
class SharedProgress {
 public:
  /// Begins the stage; throws Error(cancelled).
  SharedProgress(Progress& progress, std::string_view stage, std::uint64_t total,
                 std::string_view unit);

  /// Called by any thread after some work; false where it should stop.
  bool advance(std::uint64_t done);
  /// After the threads have joined: throws Error(cancelled) or what the progress threw.
  void finish();

 private:
  Progress& progress_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  bool stopped_ = false;
  std::exception_ptr problem_;
};

}  // namespace skde
