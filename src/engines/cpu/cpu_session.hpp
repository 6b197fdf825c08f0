#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

#include "engines/cpu/host_buffer.hpp"
#include "engines/engine.hpp"

namespace skde {

/// Engine::volume_capacity where the volume is in host memory, which others keep an eye on.
inline constexpr std::int64_t kHostCapacity = std::numeric_limits<std::int64_t>::max();

/// What every CPU engine has: the view of the samples, the problem, and its number of threads.
class CpuSession {
 public:
  explicit CpuSession(const EngineOptions& options);

  StageTimes load(const PointsView& points);
  Moments moments() const;
  /// Throws Error(resources) where the volume does not fit in the available memory.
  StageTimes prepare(const DensityProblem& problem);
  std::unique_ptr<DensityBuffer> make_buffer() const;
  /// The buffer's volume; std::invalid_argument where it is of another engine or grid.
  Volume& volume_of(DensityBuffer& buffer) const;

  const PointsView& points() const { return points_; }
  const DensityProblem& problem() const { return problem_; }
  const Ellipsoid<double>& ellipsoid() const { return ellipsoid_; }
  /// What a sample of weight 1 adds at its own place.
  double amplitude() const { return problem_.kernel.amplitude() / problem_.total_weight; }
  int threads() const { return threads_; }
  Precision precision() const { return precision_; }

 private:
  int threads_;
  Precision precision_;
  PointsView points_;
  DensityProblem problem_;
  Ellipsoid<double> ellipsoid_{};
};

/// Counts work that threads finish, reports it, and tells them to stop; exceptions of the progress
/// wait until the threads have joined.
class SharedProgress {
 public:
  /// Begins the stage; throws Error(cancelled).
  SharedProgress(Progress& progress, std::string_view stage, std::uint64_t total,
                 std::string_view unit);

  /// Called by any thread after some work; false where it should stop.
  bool advance(std::uint64_t done);
  /// After the threads have joined: throws Error(cancelled) or what the progress threw.
  void finish();

 private:
  Progress& progress_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  bool stopped_ = false;
  std::exception_ptr problem_;
};

}  // namespace skde
