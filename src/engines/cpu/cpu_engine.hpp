#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/report/thread_room.hpp"
#include "engines/cpu/host_values.hpp"
#include "engines/engine.hpp"

namespace skde {

/// A view of samples that stay in the caller's memory.
class HostSamples final : public LoadedSamples {
 public:
  HostSamples(const SamplesView& points, int threads) : points_(points), threads_(threads) {}

  std::size_t size() const override { return points_.size(); }
  Moments moments() const override { return compute_moments(points_, threads_); }
  const SamplesView& points() const { return points_; }

 private:
  SamplesView points_;
  int threads_;
};

/// The common part of all CPU engines: samples stay where they are, and values are in host memory.
/// A derived engine adds its offer and its run.
class CpuEngine : public Engine {
 public:
  const EngineTraits& traits() const final { return traits_; }
  std::int64_t free_memory() const final;
  std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                      std::unique_ptr<LoadedSamples> reuse) final;
  std::unique_ptr<Run> begin(const Problem& problem, RunOrders orders) final;

 protected:
  CpuEngine(const EngineTraits& traits, const EngineOptions& options);

  /// Starts a run on so many threads of a problem that the engine serves. All `values` are 0.
  virtual std::unique_ptr<Run> start(const Problem& problem, int threads,
                                     std::unique_ptr<HostValues> values) = 0;
  /// The most threads that a run uses; small ones use fewer, unless the options say how many.
  int threads() const { return threads_; }
  /// Sets the threads of an offer and its seconds, which seconds(threads) predicts.
  template <class Seconds>
  void predict(Offer& offer, const Seconds& seconds) const {
    offer.threads = chooses_threads_ ? threads_worth(seconds(1), threads_) : threads_;
    offer.seconds.run = seconds(offer.threads);
  }

 private:
  const EngineTraits& traits_;
  int threads_;
  bool chooses_threads_;
};

/// A run of a CPU engine. Derived runs add add_points() and their launch policy.
class CpuRun : public Run {
 public:
  StageTimes add(const LoadedSamples& samples, Progress& progress) final;
  std::unique_ptr<ValueBuffer> take_values() final { return std::move(values_); }

 protected:
  explicit CpuRun(std::unique_ptr<HostValues> values) : values_(std::move(values)) {}

  virtual StageTimes add_points(const SamplesView& points, Progress& progress) = 0;
  template <class Real>
  std::span<Real> values() {
    return values_->values<Real>();
  }

 private:
  std::unique_ptr<HostValues> values_;
};

}  // namespace skde
