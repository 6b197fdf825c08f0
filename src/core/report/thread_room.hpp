#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace skde {

/// Returns `threads`, or for 0 what OMP_NUM_THREADS or omp_set_num_threads() say. Without them it
/// is the number of cores that this process may use, or that Slurm has given its task if those are
/// fewer.
int thread_count(int threads);

/// Returns how many of at most `most` threads to use for work that takes one thread so many
/// seconds. To wake a thread takes tens of microseconds, so each has at least 100 to work. None is
/// woken while OpenMP is told to use no teams.
int threads_worth(double seconds, int most);

/// Throws Error(resources) if the system does not let this process run `threads` threads at once
/// (0: one per core); OpenMP would end the program instead. Cheap after the first time.
void require_threads(int threads);

/// Carries an exception out of threads: one that leaves a parallel region ends the program.
class FirstFailure {
 public:
  /// Does the work, and keeps the exception it throws if that is the first.
  template <class Work>
  void keep(Work&& work) noexcept {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      if (!any_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// True once an exception was kept. Any thread may call it.
  bool any() const noexcept { return any_; }
  /// Rethrows the kept exception; call it after the threads have joined.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> any_ = false;
  std::exception_ptr first_;
};

}  // namespace skde
