#include <algorithm>

#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "kernels/all_cells.hpp"

namespace skde {
namespace {

/// Evaluations in one launch: about a tenth of a second, so that a run can be cancelled.
constexpr double kEvaluationsALaunch = 2e11;

/// Sample-wise KDE on CUDA without chop and crop: every sample is evaluated in every cell.
template <class Real>
class CudaNaiveEngine final : public CudaEngine<Real> {
 public:
  explicit CudaNaiveEngine(const EngineOptions& options) : CudaEngine<Real>(options, 1) {}

  const EngineTraits& traits() const override { return kCudaNaiveTraits; }
  std::string launch_policy() const override { return policy_.describe(); }

  StageTimes run(DensityBuffer& buffer, Progress& progress) override {
    session_.activate();
    Real* const values = session_.own_buffer(buffer).accumulated_values();
    const std::int64_t count = session_.count(), batch = batch_size();
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(count), "samples");
    gpu::StageTimer timer(session_.stream());
    session_.locate();
    timer.mark("locate");
    for (std::int64_t first = 0; first < count; first += batch) {
      progress.throw_if_cancelled();
      const std::int64_t size = std::min(batch, count - first);
      kernels::accumulate_all_cells<Real>(
          session_.located() + first, size, session_.problem().kernel.function,
          session_.ellipsoid(), session_.dims(), values, policy_, session_.stream().get());
      timer.mark("accumulate");
      session_.stream().wait();
      progress.update(static_cast<std::uint64_t>(first + size));
    }
    return timer.finish();
  }

 private:
  using CudaEngine<Real>::session_;

  /// Samples in one launch: whole tiles, as many as kEvaluationsALaunch and the launch allow.
  std::int64_t batch_size() const {
    const double wanted =
        kEvaluationsALaunch / static_cast<double>(session_.problem().grid.cells());
    const auto tiles = static_cast<std::int64_t>(wanted / static_cast<double>(policy_.samples));
    return std::clamp<std::int64_t>(tiles, 1, kernels::kMostTiles) * policy_.samples;
  }

  kernels::AllCellsPolicy policy_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_naive(const EngineOptions& options) {
  if (options.precision == Precision::f64)
    return std::make_unique<CudaNaiveEngine<double>>(options);
  return std::make_unique<CudaNaiveEngine<float>>(options);
}

}  // namespace skde
