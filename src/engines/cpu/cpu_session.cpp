#include "engines/cpu/cpu_session.hpp"

#include <omp.h>

#include <stdexcept>

#include "core/host_memory.hpp"

namespace skde {

CpuSession::CpuSession(const EngineOptions& options)
    : threads_(options.threads > 0 ? options.threads : omp_get_num_procs()),
      precision_(options.precision) {}

StageTimes CpuSession::load(const PointsView& points) {
  points_ = points;
  return {};
}

Moments CpuSession::moments() const { return compute_moments(points_, threads_); }

StageTimes CpuSession::prepare(const DensityProblem& problem) {
  require_grid_fits(problem.grid, precision_, available_memory());
  ellipsoid_ = make_ellipsoid(problem.kernel.H, problem.grid);
  problem_ = problem;
  return {};
}

std::unique_ptr<DensityBuffer> CpuSession::make_buffer() const {
  return std::make_unique<HostBuffer>(problem_.grid, precision_);
}

Volume& CpuSession::volume_of(DensityBuffer& buffer) const {
  auto* own = dynamic_cast<HostBuffer*>(&buffer);
  if (!own || !(own->grid() == problem_.grid) || own->precision() != precision_)
    throw std::invalid_argument("the buffer is not of this engine's make_buffer()");
  return own->volume();
}

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
