#include "engines/cpu/shared_progress.hpp"

namespace skde {

SharedProgress::SharedProgress(Progress& progress, std::string_view stage, std::uint64_t total,
                               std::string_view unit)
    : progress_(progress) {
  progress_.begin(stage, total, unit);
  progress_.throw_if_cancelled();
}

bool SharedProgress::advance(std::uint64_t done) {
  done_ += done;
  if (!stopped_ && reporting_.try_lock()) {
    const std::lock_guard lock(reporting_, std::adopt_lock);
    report();
  }
  return !stopped_;
}

void SharedProgress::report() {
  try {
    progress_.update(reported_ = done_);
    if (progress_.cancelled()) stopped_ = true;
  } catch (...) {
    problem_ = std::current_exception();
    stopped_ = true;
  }
}

void SharedProgress::finish() {
  if (!stopped_ && reported_ < done_) report();
  if (problem_) std::rethrow_exception(problem_);
  if (stopped_) progress_.throw_if_cancelled();
}

}  // namespace skde
