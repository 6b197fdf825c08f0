#include "engines/cpu/cpu_engine.hpp"

#include <limits>
#include <stdexcept>

#include "engines/served.hpp"

namespace skde {

CpuEngine::CpuEngine(const EngineTraits& traits, const EngineOptions& options)
    : traits_(traits),
      threads_(thread_count(options.threads)),
      chooses_threads_(options.threads <= 0) {
  require_threads(threads_);
}

std::int64_t CpuEngine::free_memory() const { return std::numeric_limits<std::int64_t>::max(); }

std::unique_ptr<LoadedSamples> CpuEngine::load(const SamplesView& points,
                                               std::unique_ptr<LoadedSamples> /*reuse*/) {
  return std::make_unique<HostSamples>(points, threads_);
}

std::unique_ptr<Run> CpuEngine::begin(const Problem& problem, RunOrders orders) {
  const CloudFacts cloud{.samples = static_cast<std::int64_t>(problem.samples)};
  const Offer offer = require_served(*this, problem, cloud, orders);
  std::unique_ptr<HostValues> values;
  auto* const own = dynamic_cast<HostValues*>(orders.reuse.get());
  if (own && own->fits(problem.target, problem.precision)) {
    static_cast<void>(orders.reuse.release());
    values.reset(own);
    values->begin(problem, offer.threads);
  } else {
    orders.reuse.reset();  // before the new one is allocated: both at once may not fit
    values = std::make_unique<HostValues>(problem);
  }
  return start(problem, offer.threads, std::move(values));
}

StageTimes CpuRun::add(const LoadedSamples& samples, Progress& progress) {
  const auto* const own = dynamic_cast<const HostSamples*>(&samples);
  if (!own) throw std::invalid_argument("the samples were not loaded by a CPU engine");
  return add_points(own->points(), progress);
}

}  // namespace skde
