#include "engines/cpu/cpu_engines.hpp"

#include <fmt/core.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numbers>
#include <optional>
#include <utility>

#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/span/slice_differences.hpp"
#include "engines/cpu/tile/tile_order.hpp"
#include "engines/cpu/tile/tile_sums.hpp"
#include "engines/cpu/vector_instructions.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Samples that a thread adds to a tile before it checks whether to stop.
constexpr std::size_t kTileSamplesBetweenChecks = 1024;

/// A tile, the number of samples that may reach it, and their work there in vectors of cells.
struct TileWork {
  CellBox box;
  std::size_t samples = 0;
  double vectors = 0;
};

/// Cuts an axis of `cells` cells into pieces of equal length up to a cell, none longer than `most`.
std::vector<IndexRange> pieces_of(std::int32_t cells, std::int32_t most) {
  const std::int64_t count = (std::int64_t{cells} + most - 1) / most;
  std::vector<IndexRange> pieces;
  pieces.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    pieces.push_back({static_cast<std::int32_t>(cells * i / count),
                      static_cast<std::int32_t>(cells * (i + 1) / count)});
  return pieces;
}

/// Cuts a box in two: across slices first, as a kernel then costs least in both. Empty if the box
/// is so small that kernels would be cut into many parts.
std::optional<std::pair<CellBox, CellBox>> halves_of(const CellBox& box) {
  constexpr std::int32_t kLeast[3] = {32, 8, 2};  // cells of a half
  for (const std::size_t axis : {2, 1, 0}) {
    const IndexRange whole = box.axes[axis];
    if (whole.size() < 2 * kLeast[axis]) continue;
    std::pair halves(box, box);
    halves.first.axes[axis].end = halves.second.axes[axis].begin = whole.begin + whole.size() / 2;
    return halves;
  }
  return std::nullopt;
}

std::size_t tile_count(const CellProblem& problem) {
  using Sums = TileSums<float>;
  const auto count = [](std::int64_t cells, std::int64_t most) {
    return (cells + most - 1) / most;
  };
  return static_cast<std::size_t>(count(problem.nx(), Sums::kColumns) *
                                  count(problem.ny(), Sums::kRows) *
                                  count(problem.nz(), Sums::kSlices));
}

/// What the next run reuses: memory for the sorted samples, and the sums of each thread's tile.
template <class Real>
struct TileMemory {
  TileOrder<Real> order;
  std::vector<TileSums<Real>> sums;
};

/// Sums every tile on one thread, in the order of the samples, so the bits are the same for any
/// number of threads.
template <class Real>
class TileRun final : public CpuRun {
 public:
  /// `memory` must outlive the run.
  TileRun(const CellProblem& problem, TileMemory<Real>& memory, std::unique_ptr<HostValues> values)
      : CpuRun(std::move(values)),
        problem_(problem),
        ellipsoid_(problem.ellipsoid.cast<Real>()),
        memory_(memory) {
    if (problem.means) nodes_ = cell_nodes(problem.kernel).template cast<Real>();
  }

  std::string launch_policy() const override {
    using Sums = TileSums<Real>;
    return fmt::format("{} threads over tiles of up to {} x {} x {} cells, {} rows",
                       problem_.threads, Sums::kColumns, Sums::kRows, Sums::kSlices,
                       vector_instructions_name());
  }

 private:
  StageTimes add_points(const SamplesView& points, Progress& progress) override {
    const StopWatch sorting;
    memory_.order.build(problem_, points, progress);
    const double sorted = sorting.seconds();
    const StopWatch adding;
    add_tiles(this->template values<Real>().data(), progress);
    return {{"sort", sorted}, {"accumulate", adding.seconds()}};
  }

  /// Returns the tiles, those with the most work first so that threads end together. Tiles that
  /// hold more than a small share of all work are cut, whatever the number of threads.
  std::vector<TileWork> tiles() const {
    using Sums = TileSums<Real>;
    constexpr double kShares = 16, kLittle = 1e5;
    std::vector<TileWork> all;
    all.reserve(tile_count(problem_));
    double vectors = 0;
    for (const IndexRange z : pieces_of(problem_.nz(), Sums::kSlices))
      for (const IndexRange y : pieces_of(problem_.ny(), Sums::kRows))
        for (const IndexRange x : pieces_of(problem_.nx(), Sums::kColumns)) {
          all.push_back(work_of({{x, y, z}}));
          vectors += all.back().vectors;
        }
    const double most = std::max(vectors / kShares, kLittle);
    for (std::size_t i = 0; i < all.size();) {
      const auto halves = all[i].vectors > most ? halves_of(all[i].box) : std::nullopt;
      if (halves) {
        all[i] = work_of(halves->first);
        all.push_back(work_of(halves->second));
      } else {
        ++i;
      }
    }
    std::erase_if(all, [](const TileWork& tile) { return tile.samples == 0; });
    std::ranges::stable_sort(all, std::greater<>(), &TileWork::vectors);
    return all;
  }

  TileWork work_of(const CellBox& box) const {
    TileWork work{box};
    for (const SampleRange& range : memory_.order.ranges_near(box)) work.samples += range.size();
    const Ellipsoid<double> e = problem_.shapes.typical(memory_.order.ellipsoids()).ellipsoid;
    const auto cells = [&](std::size_t axis, double reach) {
      return std::min(2 * reach + 1, static_cast<double>(box.axes[axis].size()));
    };
    work.vectors = static_cast<double>(work.samples) * cells(2, e.sz) *
                   (1 + cells(1, e.ry) * (1 + cells(0, e.rx) / TileSums<Real>::kLanes));
    return work;
  }

  void add_tiles(Real* values, Progress& progress) {
    const std::vector<TileWork> work = tiles();
    std::uint64_t visits = 0;  // pairs of a sample and a tile
    for (const TileWork& tile : work) visits += tile.samples;
    SharedProgress shared(progress, kAccumulateStage, visits, "samples of tiles");
    std::atomic<bool> stopped = false;
    memory_.sums.resize(static_cast<std::size_t>(problem_.threads));
#pragma omp parallel num_threads(problem_.threads)
    {
      TileSums<Real>& sums = memory_.sums[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 1)
      for (std::int64_t i = 0; i < std::ssize(work); ++i) {
        if (stopped) continue;
        const TileWork& tile = work[static_cast<std::size_t>(i)];
        sums.begin(tile.box);
        if (!add_samples(sums, tile, shared)) stopped = true;
        if (!stopped) sums.move_to(values, problem_.nx(), problem_.ny());
      }
    }
    if (stopped) memory_.sums.clear();  // they are not 0
    shared.finish();
  }

  /// Returns false if the run was cancelled.
  bool add_samples(TileSums<Real>& sums, const TileWork& work, SharedProgress& shared) const {
    for (const SampleRange& range : memory_.order.ranges_near(work.box))
      for (std::size_t first = range.first; first < range.last;
           first += kTileSamplesBetweenChecks) {
        const std::size_t count = std::min(kTileSamplesBetweenChecks, range.last - first);
        const Ellipsoid<Real>* const own = memory_.order.ellipsoids();
        sums.add({memory_.order.samples() + first, count}, own ? own + first : nullptr, ellipsoid_,
                 problem_.kernel, nodes_ ? &*nodes_ : nullptr);
        if (!shared.advance(count)) return false;
      }
    return true;
  }

  CellProblem problem_;
  Ellipsoid<Real> ellipsoid_;
  TileMemory<Real>& memory_;
  std::optional<CellNodes<Real>> nodes_;  ///< set if cells take means
};

class TileEngine final : public CpuEngine {
 public:
  explicit TileEngine(const EngineOptions& options) : CpuEngine(kTileTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (!problem.has_grid()) return Offer::refused("it computes grids only, not points");
    const CellProblem in_cells(problem, threads());
    if (in_cells.means)
      if (auto why = cell_mean_refusal(problem.kernel, in_cells.ellipsoid, cloud.shaped);
          !why.empty())
        return Offer::refused(std::move(why));
    const bool single = problem.precision == Precision::f32;
    Offer offer;
    predict(offer, [&](int threads) {
      return predicted_seconds(in_cells, threads, problem.precision, cloud);
    });
    offer.error = offered_error(kTileTraits, problem, cloud) + mean_error(in_cells, cloud.shaped);
    offer.host =
        single ? memory<float>(in_cells, cloud.shaped) : memory<double>(in_cells, cloud.shaped);
    offer.repeats = true;
    if (!cloud.shaped) offer.reach = problem.kernel.half_extents();
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    const double sample = problem.precision == Precision::f32 ? sizeof(SliceSample<float>)
                                                              : sizeof(SliceSample<double>);
    if (stage == "sort") return StageWork{work.sample_bytes() + 2 * work.samples * sample};
    if (stage != kAccumulateStage) return std::nullopt;
    return StageWork{work.samples * sample + bytes_of_adding(problem),
                     kFmaOfCell * work.kernels.updates, kFmaCeiling};
  }

 private:
  /// Costs of tiles, samples, slices, rows and vectors of cells, fitted on AVX-512 cores. Kernels
  /// that the border of a tile cuts are visited twice. Strips take all rows of a Gaussian. Parts of
  /// kernels outside the box cost nothing.
  static double predicted_seconds(const CellProblem& problem, double threads, Precision precision,
                                  const CloudFacts& cloud) {
    constexpr double kStart = 3e-6, kTile = 5e-7, kSample = 6.8e-8, kShape = 1e-7, kSlice = 2.3e-8,
                     kRow = 1.2e-9, kCell = 2.5e-10, kVector = 1.8e-9, kRoughVector = 3.3e-9,
                     kRoughVectorOfDouble = 5.2e-9, kExpVectorOfDouble = 1.5e-8, kStrips = 5e-8,
                     kStripVector = 7.5e-10, kStripVectorOfDouble = 2.2e-9;
    using Sums = TileSums<float>;
    const bool single = precision == Precision::f32;
    const Ellipsoid<double> e = problem.shapes.typical(cloud.shaped).ellipsoid;
    const auto cut = [](double extent, double cells, double tile) {
      return cells > tile ? 1 + std::min(extent, cells) / tile : 1;
    };
    const double nx = problem.nx(), ny = problem.ny();
    const double across = cut(2 * e.rx, nx, Sums::kColumns), down = cut(2 * e.ry, ny, Sums::kRows);
    const double slices = std::min(2 * e.sz, static_cast<double>(problem.nz()));
    const double rows = slices * std::min(std::numbers::pi / 2 * e.sy, ny);
    const double vectors =
        rows * (mean_row_cells(e, problem.grid) / (single ? 16 : 8) + across / 2);
    const bool strips = !problem.means && with_profile(problem.kernel, [](const auto& profile) {
      return requires { profile.rate; };
    });
    const double vector = strips ? (single ? kStripVector : kStripVectorOfDouble)
                          : problem.kernel.function->degree       ? kVector
                          : single                                ? kRoughVector
                          : problem.kernel.function->is_bounded() ? kRoughVectorOfDouble
                                                                  : kExpVectorOfDouble;
    const double chords = problem.means ? cell_mean_work(problem.kernel, e) : 1;
    const double sample = kSample + (cloud.shaped ? kShape : 0) + kSlice * slices * across * down +
                          chords * ((strips ? kStrips : kRow * rows * across) + vector * vectors);
    return kStart + kTile * static_cast<double>(tile_count(problem)) +
           static_cast<double>(cloud.samples) * sample / threads +
           kCell * static_cast<double>(problem.grid.cells()) / std::min(threads, 4.0);
  }

  /// Returns what nodes in cells add to the error.
  static double mean_error(const CellProblem& problem, bool shaped) {
    return problem.means ? cell_mean_error(problem.kernel, problem.ellipsoid, shaped) : 0;
  }

  template <class Real>
  static MemoryNeed memory(const CellProblem& problem, bool shaped) {
    MemoryNeed need;
    need.fixed = problem.threads * TileSums<Real>::bytes() +
                 static_cast<double>(tile_count(problem) * sizeof(TileWork)) +
                 TileOrder<Real>::fixed_bytes(problem, shaped);
    need.sample = TileOrder<Real>::sample_bytes(shaped);
    return need;
  }

  std::unique_ptr<Run> start(const Problem& problem, int threads,
                             std::unique_ptr<HostValues> values) override {
    const CellProblem in_cells(problem, threads);
    if (problem.precision == Precision::f64)
      return std::make_unique<TileRun<double>>(in_cells, double_, std::move(values));
    return std::make_unique<TileRun<float>>(in_cells, float_, std::move(values));
  }

  TileMemory<float> float_;
  TileMemory<double> double_;
};

}  // namespace

std::unique_ptr<Engine> make_tile(const EngineOptions& options) {
  return std::make_unique<TileEngine>(options);
}

}  // namespace skde
