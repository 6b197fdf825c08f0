#include "engines/cpu/cpu_engines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/report/thread_room.hpp"
#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/overlap_blocks.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/span/slice_differences.hpp"
#include "engines/cpu/span/slice_rows.hpp"
#include "engines/cpu/vector_instructions.hpp"
#include "engines/cpu/z_order.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

constexpr std::size_t kSpanSamplesBetweenChecks = 1 << 16;

/// Threads share the slices, so more threads than slices would be idle.
int threads_of(const CellProblem& problem) { return std::min(problem.threads, problem.nz()); }

/// Memory in which a thread sums a slice: differences or rows.
template <class Real>
struct SliceWorkspace {
  /// Floats lose digits as the number of blocks grows; doubles do not.
  static constexpr bool kSumsOfBlocks = std::is_same_v<Real, float>;

  std::optional<SliceDifferences> differences;
  std::optional<SliceRows<Real>> rows;
  OverlapBlocks<Real> blocks;
  std::vector<double> sums;  ///< sums of a slice's blocks; 0 between slices

  SliceWorkspace(const Ellipsoid<Real>& ellipsoid, std::int32_t nx, std::int32_t ny,
                 RowMethod method)
      : blocks(ellipsoid, nx, ny) {
    if (method == RowMethod::differences)
      differences.emplace(nx, ny);
    else
      rows.emplace(nx, ny);
    if (kSumsOfBlocks) sums.resize(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
  }

  static double bytes(const Ellipsoid<double>& ellipsoid, const Grid& grid, RowMethod method) {
    const auto nx = static_cast<std::int32_t>(grid.dims[0]),
               ny = static_cast<std::int32_t>(grid.dims[1]);
    return OverlapBlocks<Real>::bytes(ellipsoid.template cast<Real>(), nx, ny) +
           (method == RowMethod::differences ? SliceDifferences::bytes(nx, ny)
                                             : SliceRows<Real>::bytes(nx, ny)) +
           (kSumsOfBlocks ? sizeof(double) * static_cast<double>(nx) * ny : 0);
  }
};

/// Sums every slice on one thread, so nothing is atomic and the bits are the same for any number of
/// threads.
template <class Real>
class SpanRun final : public CpuRun {
 public:
  /// `order` is memory for the sorted samples. It must outlive the run.
  SpanRun(const CellProblem& problem, ZOrder<Real>& order, std::unique_ptr<HostValues> values)
      : CpuRun(std::move(values)),
        problem_(problem),
        ellipsoid_(problem.ellipsoid.cast<Real>()),
        method_(choose_row_method(problem.ellipsoid, problem.grid, problem.kernel.function,
                                  precision_of<Real>())),
        order_(order) {}

  std::string launch_policy() const override {
    return fmt::format(
        "{} threads over slices, {} rows of {:.0f} cells", problem_.threads,
        method_ == RowMethod::differences ? "difference" : vector_instructions_name(),
        mean_row_cells(problem_.ellipsoid, problem_.grid));
  }

 private:
  StageTimes add_points(const SamplesView& points, Progress& progress) override {
    const StopWatch sorting;
    order_.build(problem_, points, progress);
    const double sorted = sorting.seconds();
    const StopWatch adding;
    add_slices(this->template values<Real>().data(), progress);
    return {{"sort", sorted}, {"accumulate", adding.seconds()}};
  }

  void add_slices(Real* values, Progress& progress) {
    const std::int32_t nx = problem_.nx(), ny = problem_.ny(), nz = problem_.nz();
    std::uint64_t visits = 0;  // pairs of a sample and a slice
    std::vector<std::int32_t> slices(static_cast<std::size_t>(nz));
    std::iota(slices.begin(), slices.end(), 0);
    for (const std::int32_t z : slices) visits += order_.samples_near(z).size();
    // Slices with the most samples come first, so that all threads end at about the same time.
    std::ranges::stable_sort(slices, std::greater<>(),
                             [&](std::int32_t z) { return order_.samples_near(z).size(); });
    SharedProgress shared(progress, kAccumulateStage, visits, "sample slices");
    std::atomic<bool> stopped = false;
    FirstFailure failure;
#pragma omp parallel num_threads(threads_of(problem_))
    {
      std::optional<SliceWorkspace<Real>> work;
      failure.keep([&] { work.emplace(ellipsoid_, nx, ny, method_); });
      if (!work) stopped = true;
#pragma omp for schedule(dynamic, 1)
      for (std::int32_t k = 0; k < nz; ++k) {
        const std::int32_t z = slices[static_cast<std::size_t>(k)];
        if (!stopped && !add_slice(*work, z, values + std::int64_t{z} * ny * nx, shared))
          stopped = true;
      }
    }
    failure.rethrow();
    shared.finish();
  }

  /// Returns false if the run was cancelled.
  bool add_slice(SliceWorkspace<Real>& work, std::int32_t z, Real* slice, SharedProgress& shared) {
    const auto samples = order_.samples_near(z);
    const std::size_t block = next_block(work, samples);
    if constexpr (SliceWorkspace<Real>::kSumsOfBlocks) {
      if (block < samples.size())
        return add_blocks(work, samples, block, z, work.sums.data(), shared) &&
               move_sums(work, slice);
    }
    return add_blocks(work, samples, block, z, slice, shared);
  }

  /// Adds the samples in blocks. The first has `block` samples.
  template <class Sum>
  bool add_blocks(SliceWorkspace<Real>& work, std::span<const SliceSample<Real>> samples,
                  std::size_t block, std::int32_t z, Sum* sums, SharedProgress& shared) {
    while (!samples.empty()) {
      add_block(work, samples.first(block), z, sums);
      samples = samples.subspan(block);
      if (!shared.advance(block)) return false;
      block = next_block(work, samples);
    }
    return true;
  }

  /// Returns how many samples, from the first on, are summed at once.
  static std::size_t next_block(SliceWorkspace<Real>& work,
                                std::span<const SliceSample<Real>> samples) {
    return work.differences ? std::min(SliceDifferences::kMostSamples, samples.size())
                            : std::min(kSpanSamplesBetweenChecks, work.blocks.next(samples));
  }

  template <class Sum>
  void add_block(SliceWorkspace<Real>& work, std::span<const SliceSample<Real>> block,
                 std::int32_t z, Sum* sums) {
    if constexpr (std::is_same_v<Real, float>)
      if (work.differences)
        return work.differences->add(block, z, problem_.kernel.function, ellipsoid_, sums);
    add_samples<Real>(*work.rows, block, z, problem_.kernel.function, ellipsoid_);
    work.rows->move_to(sums);
  }

  static bool move_sums(SliceWorkspace<Real>& work, Real* slice) {
    for (double& sum : work.sums) *slice++ += static_cast<Real>(std::exchange(sum, 0));
    return true;
  }

  CellProblem problem_;
  Ellipsoid<Real> ellipsoid_;
  RowMethod method_;
  ZOrder<Real>& order_;
};

class SpanEngine final : public CpuEngine {
 public:
  explicit SpanEngine(const EngineOptions& options) : CpuEngine(kSpanTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (!problem.has_grid()) return Offer::refused("it computes grids only, not points");
    if (!problem.kernel.function->degree)
      return Offer::refused("the kernel is not a polynomial along a row");
    if (cloud.shaped) return Offer::refused("it needs one kernel shape for all samples");
    const CellProblem in_cells = long_rows(problem, threads());
    const RowMethod method = choose_row_method(in_cells.ellipsoid, in_cells.grid,
                                               in_cells.kernel.function, problem.precision);
    Offer offer;
    predict(offer, [&](int threads) {
      return predicted_seconds(in_cells, threads, method, problem.precision, cloud.samples);
    });
    offer.error = offered_error(kSpanTraits, problem, cloud);
    offer.host = problem.precision == Precision::f32 ? memory<float>(in_cells, method)
                                                     : memory<double>(in_cells, method);
    offer.repeats = true;
    offer.reach = problem.kernel.half_extents();
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    constexpr double kFmaOfSpanCell = 3;
    const double sample = problem.precision == Precision::f32 ? sizeof(SliceSample<float>)
                                                              : sizeof(SliceSample<double>);
    if (stage == "sort") return StageWork{work.sample_bytes() + 2 * work.samples * sample};
    if (stage != kAccumulateStage) return std::nullopt;
    // The thread of a slice reads the samples that reach it.
    return StageWork{work.kernels.slices * sample + bytes_of_adding(problem),
                     kFmaOfSpanCell * work.kernels.updates, kFmaCeiling};
  }

 private:
  /// Returns the problem in cells, with axes swapped if its rows had only one cell.
  static CellProblem long_rows(Problem problem, int threads) {
    const AxisSwap axes = longer_rows(problem.grid());
    problem.kernel.H = axes.of(problem.kernel.H);
    problem.target = axes.of(problem.grid());
    CellProblem in_cells(problem, threads);
    in_cells.axes = axes;
    return in_cells;
  }

  /// Costs of the samples' sort, slices, rows and cells, fitted on AVX-512 cores. Parts of kernels
  /// outside the box cost nothing.
  static double predicted_seconds(const CellProblem& problem, double threads, RowMethod method,
                                  Precision precision, std::int64_t samples) {
    constexpr double kStart = 5e-6, kSample = 5.5e-8, kSlice = 2e-8, kRow = 6e-10,
                     kVector = 9.7e-10, kDifferenceRow = 2.6e-9, kCell = 2.3e-10;
    const double lanes = precision == Precision::f32 ? 16 : 8;
    const Ellipsoid<double>& e = problem.ellipsoid;
    const double slices = std::min(2 * e.sz, static_cast<double>(problem.nz()));
    const double rows =
        slices * std::min(std::numbers::pi / 2 * e.sy, static_cast<double>(problem.ny()));
    const double row = method == RowMethod::differences
                           ? kDifferenceRow
                           : kRow + kVector * mean_row_cells(e, problem.grid) / lanes;
    return kStart +
           static_cast<double>(samples) * (kSample + kSlice * slices + row * rows) / threads +
           kCell * static_cast<double>(problem.grid.cells()) / std::min(threads, 4.0);
  }

  template <class Real>
  static MemoryNeed memory(const CellProblem& problem, RowMethod method) {
    MemoryNeed need;
    need.fixed =
        threads_of(problem) * SliceWorkspace<Real>::bytes(problem.ellipsoid, problem.grid, method) +
        ZOrder<Real>::fixed_bytes(problem);
    need.sample = ZOrder<Real>::kSampleBytes;
    return need;
  }

  std::unique_ptr<Run> start(const Problem& problem, int threads,
                             std::unique_ptr<HostValues> values) override {
    const CellProblem in_cells = long_rows(problem, threads);
    if (problem.precision == Precision::f64)
      return std::make_unique<SpanRun<double>>(in_cells, double_order_, std::move(values));
    return std::make_unique<SpanRun<float>>(in_cells, float_order_, std::move(values));
  }

  ZOrder<float> float_order_;
  ZOrder<double> double_order_;
};

}  // namespace

std::unique_ptr<Engine> make_span(const EngineOptions& options) {
  return std::make_unique<SpanEngine>(options);
}

}  // namespace skde
