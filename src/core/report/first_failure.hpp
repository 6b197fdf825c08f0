#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace skde {

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
