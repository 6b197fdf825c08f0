#pragma once

#include <memory>

#include "engines/cuda/cuda_session.hpp"
#include "engines/engine.hpp"

namespace skde {

/// What all CUDA engines do alike: samples and volume in device memory. An engine adds its traits,
/// its launch policy and run().
template <class Real>
class CudaEngine : public Engine {
 public:
  StageTimes load(const PointsView& points) final { return session_.load(points); }
  void prefetch(const PointsView& points) final { session_.prefetch(points); }
  std::int64_t volume_capacity(std::int64_t samples) const final {
    constexpr std::int64_t kSampleBytes = 64;
    return session_.volume_capacity(samples, kSampleBytes, volumes_);
  }
  Moments moments() final { return session_.moments(); }
  StageTimes prepare(const DensityProblem& problem) override { return session_.prepare(problem); }
  std::unique_ptr<DensityBuffer> make_buffer() final { return session_.make_buffer(); }

 protected:
  /// For an engine that needs so many times the volume's memory.
  CudaEngine(const EngineOptions& options, double volumes) : session_(options), volumes_(volumes) {}

  CudaSession<Real> session_;

 private:
  double volumes_;
};

}  // namespace skde
