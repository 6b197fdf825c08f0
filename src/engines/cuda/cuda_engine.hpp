#pragma once

#include <memory>

#include "engines/cuda/cuda_device.hpp"
#include "engines/engine.hpp"

namespace skde {

/// What all CUDA engines do alike: samples and values are in device memory. An engine adds its
/// traits, its offer and its run.
class CudaEngine : public Engine {
 public:
  std::int64_t free_memory() const final;
  std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                      std::unique_ptr<LoadedSamples> reuse) final;
  std::unique_ptr<Run> begin(const Problem& problem, std::unique_ptr<ValueBuffer> reuse) final;

 protected:
  explicit CudaEngine(const EngineOptions& options)
      : device_(std::make_shared<CudaDevice>(options)) {}

  /// The run of a problem that the engine serves, on the device that is started.
  virtual std::unique_ptr<Run> start(const Problem& problem,
                                     std::unique_ptr<ValueBuffer> reuse) = 0;
  const std::shared_ptr<CudaDevice>& device() const { return device_; }

 private:
  std::shared_ptr<CudaDevice> device_;
};

/// Why no CUDA engine serves this, whatever it computes; empty where one may.
std::string cuda_refusal(const Problem& problem, const CloudFacts& cloud);

/// Bytes of a sample in cell units.
double located_bytes(Precision precision);

/// Times and memory besides the run itself: start of the device, transfers, samples and values;
/// an engine adds the seconds of its run and the bytes of its own.
Offer cuda_offer(const Problem& problem, const CloudFacts& cloud, const EngineTraits& traits);

}  // namespace skde
