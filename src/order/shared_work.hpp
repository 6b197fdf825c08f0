#pragma once

#include <omp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/report/progress.hpp"
#include "core/report/thread_room.hpp"

namespace skde {

/// Work that all cores share, item by item.
class SharedWork {
 public:
  /// A stage of `total` units begins, over one or more calls of each().
  SharedWork(Progress& progress, std::string_view stage, std::uint64_t total,
             std::string_view unit = "rows")
      : progress_(progress) {
    progress_.begin(stage, total, unit);
  }

  static std::size_t threads() { return static_cast<std::size_t>(omp_get_max_threads()); }

  /// Calls work(item, thread) for each item below `items`, in any order, and counts the units that
  /// it returns. Threads are numbered from 0 to threads() - 1. Throws what the work threw, and
  /// Error(cancelled).
  template <class Work>
  void each(std::uint64_t items, const Work& work) {
    FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1)
    for (std::uint64_t item = 0; item < items; ++item) {
      if (failure.any()) continue;
      failure.keep([&] {
        progress_.throw_if_cancelled();
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const std::uint64_t done = done_ += work(item, thread);
        if (thread == 0) progress_.update(done);
      });
    }
    failure.rethrow();
    progress_.update(done_);
  }

 private:
  Progress& progress_;
  std::atomic<std::uint64_t> done_ = 0;
};

}  // namespace skde
