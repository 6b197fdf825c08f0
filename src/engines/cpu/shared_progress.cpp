#include "engines/cpu/shared_progress.hpp"

namespace skde {

SharedProgress::SharedProgress(Progress& progress, std::string_view stage, std::uint64_t total,
                               std::string_view unit)
    : progress_(progress) {
  progress_.begin(stage, total, unit);
  progress_.throw_if_cancelled();
}

bool SharedProgress::advance(std::uint64_t done) {
  const std::lock_guard lock(mutex_);
  done_ += done;
  if (stopped_) return false;
  try {
    progress_.update(done_);
    stopped_ = progress_.cancelled();
  } catch (...) {
    problem_ = std::current_exception();
    stopped_ = true;
  }
  return !stopped_;
}

void SharedProgress::finish() {
  if (problem_) std::rethrow_exception(problem_);
  if (stopped_) progress_.throw_if_cancelled();
}

}  // namespace skde
