#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace skde {

/// Carries an exception out of threads: one that leaves a parallel region ends the program.
class FirstFailure {
 public:
  /// Does the work; what it throws is kept if it is the first.
  template <class Work>
  void keep(Work&& work) noexcept {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      if (!any_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// True once something was thrown; for any thread.
  bool any() const noexcept { return any_; }
  /// After the threads have joined.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> any_ = false;
  std::exception_ptr first_;
};

}  // namespace skde
