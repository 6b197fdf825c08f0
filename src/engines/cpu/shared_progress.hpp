#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "core/report/progress.hpp"

namespace skde {

/// Counts work that threads finish, reports it, and tells them to stop; exceptions of the progress
/// wait until the threads have joined. No thread waits for another that is reporting. Its cache
/// lines are its own, or threads would wait for what lies beside it.
class alignas(64) SharedProgress {  // NOLINT(clang-analyzer-optin.performance.Padding)
 public:
  /// Begins the stage; throws Error(cancelled).
  SharedProgress(Progress& progress, std::string_view stage, std::uint64_t total,
                 std::string_view unit);

  /// Called by any thread after some work; false where it should stop.
  bool advance(std::uint64_t done);
  /// After the threads have joined: throws Error(cancelled) or what the progress threw.
  void finish();

 private:
  void report();

  std::atomic<std::uint64_t> done_ = 0;
  alignas(64) std::atomic<bool> stopped_ = false;  // written once, read by all
  Progress& progress_;
  alignas(64) std::mutex reporting_;
  std::uint64_t reported_ = 0;
  std::exception_ptr problem_;
};

}  // namespace skde
