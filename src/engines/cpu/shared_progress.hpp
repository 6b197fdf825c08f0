#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "core/report/progress.hpp"

namespace skde {

/// Counts the work that threads finish, reports it, and tells the threads to stop. An exception
/// that the progress throws is kept until the threads have joined. No thread waits for another that
/// is reporting. The object has its own cache lines, to avoid false sharing.
class alignas(64) SharedProgress {  // NOLINT(clang-analyzer-optin.performance.Padding)
 public:
  /// Begins the stage. Throws Error(cancelled).
  SharedProgress(Progress& progress, std::string_view stage, std::uint64_t total,
                 std::string_view unit);

  /// Adds work that is done. Any thread may call it. Returns false if the thread should stop.
  bool advance(std::uint64_t done);
  /// Call it after the threads have joined. Throws Error(cancelled) or what the progress threw.
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
