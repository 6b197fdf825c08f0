#pragma once

#include <memory>

#include "engines/cuda/cuda_device.hpp"
#include "engines/engine.hpp"

namespace skde {

/// The common part of all CUDA engines: samples and values are in device memory. A derived engine
/// adds its offer and its run.
class CudaEngine : public Engine {
 public:
  const EngineTraits& traits() const final { return traits_; }
  std::int64_t free_memory() const final;
  std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                      std::unique_ptr<LoadedSamples> reuse) final;
  std::unique_ptr<Run> begin(const Problem& problem, RunOrders orders) final;

 protected:
  CudaEngine(const EngineTraits& traits, const EngineOptions& options)
      : traits_(traits), device_(std::make_shared<CudaDevice>(options)) {}

  /// Starts a run of a problem that the engine serves. The device is already started.
  virtual std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) = 0;
  const std::shared_ptr<CudaDevice>& device() const { return device_; }

 private:
  const EngineTraits& traits_;
  std::shared_ptr<CudaDevice> device_;
};

/// Returns why an engine for grids and kernels of one shape does not serve this; empty if it may.
std::string cuda_refusal(const Problem& problem, const CloudFacts& cloud);

/// Bytes of a sample that is placed in cell units.
double located_bytes(Precision precision);

/// Returns an offer with the costs besides the run itself: start of the device, transfers, samples
/// and values. An engine adds the seconds of its run and the bytes of its own.
Offer cuda_offer(const Problem& problem, const CloudFacts& cloud, const EngineTraits& traits);

}  // namespace skde
