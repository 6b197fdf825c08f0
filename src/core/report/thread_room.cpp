#include "core/report/thread_room.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/report/error.hpp"

namespace skde {
namespace {

/// Starts up to `threads` threads that exist at the same time, and returns how many did.
int startable(int threads) {
  std::mutex mutex;
  std::condition_variable told;
  bool done = false;
  std::vector<std::thread> started;
  started.reserve(static_cast<std::size_t>(threads));
  try {
    while (static_cast<int>(started.size()) < threads)
      started.emplace_back([&] {
        std::unique_lock lock(mutex);
        told.wait(lock, [&] { return done; });
      });
  } catch (const std::system_error&) {  // those already started are the answer
  }
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  told.notify_all();
  for (std::thread& thread : started) thread.join();
  return static_cast<int>(started.size());
}

}  // namespace

int thread_count(int threads) {
  if (threads > 0) return threads;
  const char* const of_task =
      std::getenv("OMP_NUM_THREADS") ? nullptr : std::getenv("SLURM_CPUS_PER_TASK");
  const int most = of_task ? std::atoi(of_task) : 0;
  return most > 0 ? std::min(most, omp_get_max_threads()) : omp_get_max_threads();
}

int threads_worth(double seconds, int most) {
  constexpr double kSecondsAThread = 1e-4;
  if (omp_get_max_active_levels() == 0) return 1;
  return seconds < kSecondsAThread * most ? std::max(1, static_cast<int>(seconds / kSecondsAThread))
                                          : most;
}

void require_threads(int threads) {
  static std::atomic<int> known{0};
  threads = thread_count(threads);
  if (threads <= known) return;
  if (const int possible = startable(threads); possible < threads)
    throw Error(ErrorKind::resources,
                fmt::format("the system can start only {} threads, not {}", possible, threads),
                {"threads",
                 "use fewer `threads`, or raise the limits on processes and address space (ulimit "
                 "-u, ulimit -v)"});
  known = threads;
}

}  // namespace skde
