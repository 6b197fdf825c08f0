#include "engines/span_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "core/stop_watch.hpp"
#include "engines/cpu_engine.hpp"
#include "engines/overlap_blocks.hpp"
#include "engines/slice_rows.hpp"
#include "engines/z_order.hpp"

namespace skde {
namespace {

constexpr std::size_t kSamplesBetweenChecks = 1 << 16;

template <class Real>
class SpanEngine final : public CpuEngine {
 public:
  explicit SpanEngine(const EngineOptions& options) : CpuEngine(options) {}

  const EngineTraits& traits() const override { return kSpanTraits; }
  std::string launch_policy() const override {
    return fmt::format("{} threads over slices, {} rows", session_.threads(),
                       slice_rows_instructions());
  }

  StageTimes run(DensityBuffer& buffer, Progress& progress) override {
    const StopWatch sorting;
    Real* const values = session_.volume_of(buffer).template values<Real>().data();
    order_.build(session_, progress);
    const double sorted = sorting.seconds();
    const StopWatch adding;
    add_slices(values, progress);
    return {{"sort", sorted}, {"accumulate", adding.seconds()}};
  }

 private:
  /// Every slice is summed by one thread, so nothing is atomic and the result is the same bits for
  /// any number of threads.
  void add_slices(Real* values, Progress& progress) {
    const auto& dims = session_.problem().grid.dims;
    const auto nx = static_cast<std::int32_t>(dims[0]), ny = static_cast<std::int32_t>(dims[1]),
               nz = static_cast<std::int32_t>(dims[2]);
    std::uint64_t visits = 0;  // of samples by slices
    for (std::int32_t z = 0; z < nz; ++z) visits += order_.samples_near(z).size();
    SharedProgress shared(progress, kAccumulateStage, visits, "sample slices");
    std::atomic<bool> stopped = false;
    const Ellipsoid<Real> ellipsoid = session_.ellipsoid().template cast<Real>();
#pragma omp parallel num_threads(session_.threads())
    {
      Workspace work{SliceRows<Real>(nx, ny), OverlapBlocks<Real>(ellipsoid, nx, ny)};
#pragma omp for schedule(dynamic, 1)
      for (std::int32_t z = 0; z < nz; ++z)
        if (!stopped && !add_slice(work, ellipsoid, z, values + std::int64_t{z} * ny * nx, shared))
          stopped = true;
    }
    shared.finish();
  }

  /// What a thread sums a slice in.
  struct Workspace {
    SliceRows<Real> rows;
    OverlapBlocks<Real> blocks;
  };

  /// False where the run was cancelled.
  bool add_slice(Workspace& work, const Ellipsoid<Real>& ellipsoid, std::int32_t z, Real* slice,
                 SharedProgress& shared) {
    auto samples = order_.samples_near(z);
    while (!samples.empty()) {
      const auto block = samples.first(std::min(kSamplesBetweenChecks, work.blocks.next(samples)));
      add_samples<Real>(work.rows, block, z, session_.problem().kernel.function, ellipsoid);
      work.rows.move_to(slice);
      samples = samples.subspan(block.size());
      if (!shared.advance(block.size())) return false;
    }
    return true;
  }

  ZOrder<Real> order_;
};

}  // namespace

std::unique_ptr<Engine> make_span(const EngineOptions& options) {
  if (options.precision == Precision::f64) return std::make_unique<SpanEngine<double>>(options);
  return std::make_unique<SpanEngine<float>>(options);
}

}  // namespace skde
