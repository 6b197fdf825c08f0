#include "engines/cpu/naive_engine.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "core/stop_watch.hpp"
#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/placed_sample.hpp"

namespace skde {
namespace {

constexpr std::size_t kManySamples = 100000;

/// A sample ready to be evaluated in any cell.
template <class Real>
struct WeightedSample {
  PlacedSample<Real> place;
  Real weight;  ///< times the amplitude
};

template <class Real>
class NaiveEngine final : public CpuEngine {
 public:
  explicit NaiveEngine(const EngineOptions& options) : CpuEngine(options) {}

  const EngineTraits& traits() const override { return kNaiveTraits; }
  std::string launch_policy() const override {
    return std::to_string(session_.threads()) + " threads over rows of cells";
  }

  StageTimes run(DensityBuffer& buffer, Progress& progress) override {
    const StopWatch watch;
    const std::span<Real> values = session_.volume_of(buffer).template values<Real>();
    place_samples();
    const Ellipsoid<Real> ellipsoid = session_.ellipsoid().template cast<Real>();
    with_kernel(session_.problem().kernel.function,
                [&]<KernelFunction F>() { sum_rows<F>(values, ellipsoid, progress); });
    return {{"accumulate", watch.seconds()}};
  }

 private:
  void place_samples() {
    const PointsView& points = session_.points();
    samples_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      samples_[i] = {
          place_sample<Real>(session_.problem().grid, session_.ellipsoid(), points.point(i)),
          static_cast<Real>(session_.amplitude() * points.weight(i))};
  }

  template <KernelFunction F>
  void sum_rows(std::span<Real> values, const Ellipsoid<Real>& ellipsoid, Progress& progress) {
    const auto& dims = session_.problem().grid.dims;
    const std::int64_t rows = dims[1] * dims[2];
    SharedProgress shared(progress, kAccumulateStage, static_cast<std::uint64_t>(rows), "rows");
    std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(session_.threads())
    for (std::int64_t row = 0; row < rows; ++row) {
      if (stopped) continue;
      Real* const cells = values.data() + row * dims[0];
      for (std::int64_t x = 0; x < dims[0] && !stopped; ++x) {
        cells[x] += cell_sum<F>(ellipsoid, x, row % dims[1], row / dims[1]);
        // A row of cells may take seconds where there are many samples.
        const bool row_done = x + 1 == dims[0];
        if ((row_done || samples_.size() > kManySamples) && !shared.advance(row_done ? 1 : 0))
          stopped = true;
      }
    }
    shared.finish();
  }

  template <KernelFunction F>
  Real cell_sum(const Ellipsoid<Real>& ellipsoid, std::int64_t x, std::int64_t y,
                std::int64_t z) const {
    double total = 0;
    const std::span<const WeightedSample<Real>> samples(samples_);
    for (std::size_t first = 0; first < samples.size(); first += kBlock)
      total += block_sum<F>(samples.subspan(first, std::min(kBlock, samples.size() - first)),
                            ellipsoid, x, y, z);
    return static_cast<Real>(total);
  }

  /// So few samples that their sum keeps its digits in Real.
  template <KernelFunction F>
  static Real block_sum(std::span<const WeightedSample<Real>> samples,
                        const Ellipsoid<Real>& ellipsoid, std::int64_t x, std::int64_t y,
                        std::int64_t z) {
    Real sum = 0;
    for (const WeightedSample<Real>& s : samples) {
      const auto& place = s.place;
      const Real q = ellipsoid.q(static_cast<Real>(x - place.cell[0]) - place.offset[0],
                                 static_cast<Real>(y - place.cell[1]) - place.offset[1],
                                 static_cast<Real>(z - place.cell[2]) - place.offset[2]);
      sum += s.weight * kernel_profile<F, Real>(q);
    }
    return sum;
  }

  static constexpr std::size_t kBlock = 512;

  std::vector<WeightedSample<Real>> samples_;
};

}  // namespace

std::unique_ptr<Engine> make_naive(const EngineOptions& options) {
  if (options.precision == Precision::f64) return std::make_unique<NaiveEngine<double>>(options);
  return std::make_unique<NaiveEngine<float>>(options);
}

}  // namespace skde
