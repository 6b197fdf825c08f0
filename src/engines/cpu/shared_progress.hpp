#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
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

/// Returns a loop each(first, end, body) over samples, for CountingSort, that reports them to
/// `progress` and stops when cancelled.
inline auto reported_loop(SharedProgress& progress) {
  return [&progress](std::size_t first, std::size_t end, const auto& body) {
    constexpr std::size_t kSamplesBetweenChecks = 1 << 18;
    for (; first < end; first += kSamplesBetweenChecks) {
      const std::size_t last = std::min(first + kSamplesBetweenChecks, end);
      for (std::size_t i = first; i < last; ++i) body(i);
      if (!progress.advance(last - first)) return;
    }
  };
}

}  // namespace skde
