#pragma once

#include <memory>

#include "engines/cpu/cpu_session.hpp"
#include "engines/engine.hpp"

namespace skde {

/// What all CPU engines do alike: the samples stay where the caller has them, and the volume is in
/// host memory. An engine adds its traits, its launch policy and run().
class CpuEngine : public Engine {
 public:
  StageTimes load(const PointsView& points) final { return session_.load(points); }
  std::int64_t volume_capacity(std::int64_t /*samples*/) const final { return kHostCapacity; }
  Moments moments() final { return session_.moments(); }
  StageTimes prepare(const DensityProblem& problem) final { return session_.prepare(problem); }
  std::unique_ptr<DensityBuffer> make_buffer() final { return session_.make_buffer(); }

 protected:
  explicit CpuEngine(const EngineOptions& options) : session_(options) {}

  CpuSession session_;
};

}  // namespace skde
