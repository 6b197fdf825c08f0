#include "engines/cuda/cuda_engine.hpp"

#include "engines/cuda/cuda_samples.hpp"
#include "engines/served.hpp"

namespace skde {

std::int64_t CudaEngine::free_memory() const {
  device_->start();
  return static_cast<std::int64_t>(gpu::free_memory());
}

std::unique_ptr<LoadedSamples> CudaEngine::load(const SamplesView& points,
                                                std::unique_ptr<LoadedSamples> reuse) {
  if (!dynamic_cast<CudaSamples*>(reuse.get())) reuse = std::make_unique<CudaSamples>(device_);
  static_cast<CudaSamples&>(*reuse).upload(points);
  return reuse;
}

std::unique_ptr<Run> CudaEngine::begin(const Problem& problem, RunOrders orders) {
  require_served(*this, problem, {}, orders);
  device_->start();
  return start(problem, std::move(orders));
}

std::string cuda_refusal(const Problem& problem, const CloudFacts& cloud) {
  if (!problem.has_grid()) return "it computes grids only, not points";
  if (cloud.shaped) return "it needs one kernel shape for all samples";
  return "";
}

double located_bytes(Precision precision) {
  return precision == Precision::f32 ? sizeof(kernels::LocatedSample<float>)
                                     : sizeof(kernels::LocatedSample<double>);
}

Offer cuda_offer(const Problem& problem, const CloudFacts& cloud, const EngineTraits& traits) {
  constexpr double kUpload = 1e10, kDownload = 2.5e9;
  constexpr double kSmallThings = 64 << 20;  // for sorting and the CUDA runtime
  const double bytes = static_cast<double>(target_size(problem.target)) *
                       static_cast<double>(value_bytes(problem.precision));
  const double sample = (cloud.weighted ? 32 : 24) + (cloud.shaped ? 48 : 0);
  Offer offer;
  offer.seconds.start = kGpuStartSeconds;
  offer.seconds.upload = sample * static_cast<double>(cloud.samples) / kUpload;
  offer.seconds.download = bytes / kDownload;
  offer.error = offered_error(traits, problem, cloud);
  offer.repeats = traits.deterministic;
  offer.host.fixed = static_cast<double>(gpu::PinnedCopies::kMostBytes);
  offer.device = {kSmallThings, sample, 0, static_cast<double>(value_bytes(problem.precision))};
  return offer;
}

}  // namespace skde
