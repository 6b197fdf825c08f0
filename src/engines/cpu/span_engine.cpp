#include "engines/cpu/span_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>

#include "core/stop_watch.hpp"
#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/overlap_blocks.hpp"
#include "engines/cpu/row_method.hpp"
#include "engines/cpu/slice_differences.hpp"
#include "engines/cpu/slice_rows.hpp"
#include "engines/cpu/vector_instructions.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {
namespace {

constexpr std::size_t kSamplesBetweenChecks = 1 << 16;

template <class Real>
class SpanEngine final : public CpuEngine {
 public:
  explicit SpanEngine(const EngineOptions& options) : CpuEngine(options) {}

  const EngineTraits& traits() const override { return kSpanTraits; }
  std::string launch_policy() const override {
    return fmt::format(
        "{} threads over slices, {} rows of {:.0f} cells", session_.threads(),
        row_method() == RowMethod::differences ? "difference" : vector_instructions_name(),
        mean_row_cells(session_.ellipsoid(), session_.problem().grid));
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
      Workspace work(ellipsoid, nx, ny, row_method());
#pragma omp for schedule(dynamic, 1)
      for (std::int32_t z = 0; z < nz; ++z)
        if (!stopped && !add_slice(work, ellipsoid, z, values + std::int64_t{z} * ny * nx, shared))
          stopped = true;
    }
    shared.finish();
  }

  RowMethod row_method() const {
    const DensityProblem& problem = session_.problem();
    return choose_row_method(session_.ellipsoid(), problem.grid, problem.kernel.function,
                             session_.precision());
  }

  /// What a thread sums a slice in: differences or rows.
  struct Workspace {
    std::optional<SliceDifferences> differences;
    std::optional<SliceRows<Real>> rows;
    OverlapBlocks<Real> blocks;

    Workspace(const Ellipsoid<Real>& ellipsoid, std::int32_t nx, std::int32_t ny, RowMethod method)
        : blocks(ellipsoid, nx, ny) {
      if (method == RowMethod::differences)
        differences.emplace(nx, ny);
      else
        rows.emplace(nx, ny);
    }
  };

  /// Adds a block of the samples, from the first on, to the slice and returns their number.
  std::size_t add_block(Workspace& work, const Ellipsoid<Real>& ellipsoid,
                        std::span<const SliceSample<Real>> samples, std::int32_t z, Real* slice) {
    const KernelFunction function = session_.problem().kernel.function;
    if constexpr (std::is_same_v<Real, float>) {
      if (work.differences) {
        const auto block = samples.first(std::min(SliceDifferences::kMostSamples, samples.size()));
        work.differences->add(block, z, function, ellipsoid, slice);
        return block.size();
      }
    }
    const auto block = samples.first(std::min(kSamplesBetweenChecks, work.blocks.next(samples)));
    add_samples<Real>(*work.rows, block, z, function, ellipsoid);
    work.rows->move_to(slice);
    return block.size();
  }

  /// False where the run was cancelled.
  bool add_slice(Workspace& work, const Ellipsoid<Real>& ellipsoid, std::int32_t z, Real* slice,
                 SharedProgress& shared) {
    auto samples = order_.samples_near(z);
    while (!samples.empty()) {
      const std::size_t added = add_block(work, ellipsoid, samples, z, slice);
      samples = samples.subspan(added);
      if (!shared.advance(added)) return false;
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
