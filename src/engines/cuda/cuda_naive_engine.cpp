#include <algorithm>

#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_run.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/all_cells.hpp"

namespace skde {
namespace {

/// Evaluations per launch: about a tenth of a second, so that a run can be cancelled.
constexpr double kEvaluationsALaunch = 2e11;

template <class Real>
using Located = gpu::DeviceBuffer<kernels::LocatedSample<Real>>;

/// Sample-wise KDE on CUDA without chop and crop: every sample is evaluated in every cell.
template <class Real>
class CudaNaiveRun final : public CudaRun<Real> {
 public:
  CudaNaiveRun(const Problem& problem, std::shared_ptr<CudaDevice> device, RunOrders orders,
               Located<Real>& located)
      : CudaRun<Real>(problem, std::move(device), std::move(orders)), located_(located) {}

  std::string launch_policy() const override { return policy_.describe(); }

 private:
  StageTimes add_samples(const CudaSamples& samples, Progress& progress) override {
    Real* const sums = this->values().accumulated_values();
    const std::int64_t count = samples.count(), batch = batch_size();
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(count), "samples");
    gpu::StageTimer timer(this->stream());
    this->locate(samples, located_);
    timer.mark("locate");
    for (std::int64_t first = 0; first < count; first += batch) {
      progress.throw_if_cancelled();
      const std::int64_t size = std::min(batch, count - first);
      kernels::accumulate_all_cells<Real>(located_.data() + first, size, this->kernel(),
                                          this->ellipsoid(), this->dims(), sums, policy_,
                                          this->stream().get());
      timer.mark("accumulate");
      this->stream().wait();
      progress.update(static_cast<std::uint64_t>(first + size));
    }
    return timer.finish();
  }

  /// Returns the samples per launch: whole tiles, as many as kEvaluationsALaunch and the limit of
  /// launches allow.
  std::int64_t batch_size() const {
    const double wanted = kEvaluationsALaunch / static_cast<double>(this->grid().cells());
    const auto tiles = static_cast<std::int64_t>(wanted / static_cast<double>(policy_.samples));
    return std::clamp<std::int64_t>(tiles, 1, kernels::kMostTiles) * policy_.samples;
  }

  kernels::AllCellsPolicy policy_;
  Located<Real>& located_;
};

class CudaNaiveEngine final : public CudaEngine {
 public:
  explicit CudaNaiveEngine(const EngineOptions& options) : CudaEngine(kCudaNaiveTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (std::string why = cuda_refusal(problem, cloud); !why.empty())
      return Offer::refused(std::move(why));
    constexpr double kStart = 6e-5, kEvaluation = 1e-12;
    const bool wide = problem.precision == Precision::f64;
    Offer offer = cuda_offer(problem, cloud, kCudaNaiveTraits);
    offer.seconds.run = kStart + (wide ? 2 : 1) * kEvaluation * static_cast<double>(cloud.samples) *
                                     static_cast<double>(problem.grid().cells());
    offer.device.sample = located_bytes(problem.precision);
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    const double located = work.samples * located_bytes(problem.precision);
    if (stage == "locate") return StageWork{work.sample_bytes() + located};
    if (stage != kAccumulateStage) return std::nullopt;
    const auto cells = static_cast<double>(problem.grid().cells());
    return StageWork{located + bytes_of_adding(problem), kFmaOfCell * work.samples * cells,
                     kFmaCeiling};
  }

 private:
  std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) override {
    if (problem.precision == Precision::f64)
      return std::make_unique<CudaNaiveRun<double>>(problem, device(), std::move(orders), doubles_);
    return std::make_unique<CudaNaiveRun<float>>(problem, device(), std::move(orders), floats_);
  }

  Located<float> floats_;
  Located<double> doubles_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_naive(const EngineOptions& options) {
  return std::make_unique<CudaNaiveEngine>(options);
}

}  // namespace skde
