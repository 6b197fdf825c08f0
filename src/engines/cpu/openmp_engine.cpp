#include "engines/cpu/cpu_engines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <optional>

#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/placed_sample.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

constexpr std::int64_t kChunk = 64;  // samples that a thread takes at a time
/// Cells that a thread evaluates before it checks whether to stop: a kernel may be as large as the
/// grid.
constexpr std::int64_t kCellsBetweenChecks = 5'000'000;

template <class Real>
class OpenmpRun final : public CpuRun {
 public:
  OpenmpRun(const CellProblem& problem, std::unique_ptr<HostValues> values)
      : CpuRun(std::move(values)), problem_(problem) {}

  std::string launch_policy() const override {
    return fmt::format("{} threads, {} samples at a time", problem_.threads, kChunk);
  }

 private:
  /// The ellipsoid of a sample's kernel.
  struct Shape {
    Ellipsoid<double> precise;
    Ellipsoid<Real> ellipsoid;

    explicit Shape(const Ellipsoid<double>& of)
        : precise(of), ellipsoid(of.template cast<Real>()) {}
  };

  StageTimes add_points(const SamplesView& points, Progress& progress) override {
    const StopWatch watch;
    Real* const sums = this->template values<Real>().data();
    with_profile(problem_.kernel,
                 [&](const auto& profile) { add_samples(profile, points, sums, progress); });
    return {{"accumulate", watch.seconds()}};
  }

  template <class Profile>
  void add_samples(const Profile& profile, const SamplesView& points, Real* values,
                   Progress& progress) {
    const auto count = static_cast<std::int64_t>(points.size());
    SharedProgress shared(progress, kAccumulateStage, static_cast<std::uint64_t>(count), "samples");
    const Shape common(problem_.ellipsoid);
    std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(problem_.threads) firstprivate(common)
    for (std::int64_t first = 0; first < count; first += kChunk) {
      if (stopped) continue;
      const std::int64_t last = std::min(first + kChunk, count);
      std::int64_t evaluated = 0;  // cells since the last check
      for (std::int64_t i = first; i < last && !stopped; ++i) {
        const auto sample = static_cast<std::size_t>(i);
        std::optional<Shape> own;  // set if the sample has its own shape
        double amplitude = problem_.amplitude;
        if (points.shaped()) {
          const SampleShape shape = problem_.shapes.of(points, sample);
          own.emplace(shape.ellipsoid);
          amplitude = shape.amplitude / problem_.total_weight;
        }
        const double weight = amplitude * points.weight(sample);
        add_sample(profile, values, points.point(sample), own ? *own : common,
                   static_cast<Real>(weight), evaluated, shared, stopped);
      }
      if (!shared.advance(static_cast<std::uint64_t>(last - first))) stopped = true;
    }
    shared.finish();
  }

  /// Chops the sample's kernel into slices, crops each and evaluates the remaining cells.
  template <class Profile>
  void add_sample(const Profile& profile, Real* values, Vec3 position, const Shape& shape,
                  Real weight, std::int64_t& evaluated, SharedProgress& shared,
                  std::atomic<bool>& stopped) {
    const Ellipsoid<Real>& e = shape.ellipsoid;
    const auto s = place_sample<Real>(problem_.grid, shape.precise, position);
    if (!s.reaches || weight == 0) return;
    const std::int32_t nx = problem_.nx(), ny = problem_.ny(), nz = problem_.nz();
    const IndexRange slices = chop(e, s.offset[2], nz, s.cell[2]);
    for (std::int32_t z = slices.begin; z < slices.end; ++z) {
      const Real dz = cells_from(s.cell[2], s.offset[2], z);
      const GridRange range = crop(e, s.offset[0], s.offset[1], dz, nx, ny, s.cell[0], s.cell[1]);
      add_slice(profile, values + std::int64_t{z} * ny * nx, nx, e, s, range, dz, weight);
      evaluated += range.cells();
      if (evaluated < kCellsBetweenChecks) continue;
      evaluated = 0;
      if (!shared.advance(0)) stopped = true;
      if (stopped) return;
    }
  }

  template <class Profile>
  static void add_slice(const Profile& profile, Real* slice, std::int32_t nx,
                        const Ellipsoid<Real>& e, const PlacedSample<Real>& s,
                        const GridRange& range, Real dz, Real weight) {
    for (std::int32_t y = range.y.begin; y < range.y.end; ++y) {
      const Real dy = cells_from(s.cell[1], s.offset[1], y);
      Real* const row = slice + std::int64_t{y} * nx;
      for (std::int32_t x = range.x.begin; x < range.x.end; ++x) {
        const Real q = e.q(cells_from(s.cell[0], s.offset[0], x), dy, dz);
        if (!(q < Real(1))) continue;
        const Real added = weight * profile.value(q);
#pragma omp atomic
        row[x] += added;
      }
    }
  }

  CellProblem problem_;
};

class OpenmpEngine final : public CpuEngine {
 public:
  explicit OpenmpEngine(const EngineOptions& options) : CpuEngine(kOpenmpTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (!problem.has_grid()) return Offer::refused("it computes grids only, not points");
    const CellProblem in_cells(problem, threads());
    Offer offer;
    predict(offer, [&](int threads) {
      return predicted_seconds(in_cells, threads, problem.precision, cloud);
    });
    offer.error = offered_error(kOpenmpTraits, problem, cloud);
    offer.repeats = offer.threads == 1;
    if (!cloud.shaped) offer.reach = problem.kernel.half_extents();
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    if (stage != kAccumulateStage) return std::nullopt;
    return StageWork{work.sample_bytes() + bytes_of_adding(problem),
                     kFmaOfCell * work.kernels.evaluated, kFmaCeiling};
  }

 private:
  /// Costs of samples, slices, cells that are evaluated and those that are added to, fitted on
  /// AVX-512 cores. An addition waits for a line of the cache if another thread wrote it last.
  static double predicted_seconds(const CellProblem& problem, int most, Precision precision,
                                  const CloudFacts& cloud) {
    constexpr double kStart = 2e-6, kSample = 3e-8, kShape = 1e-7, kSlice = 2.2e-8,
                     kEvaluated = 1.8e-9, kAdded = 3.9e-9, kExpAdded = 6e-9, kLine = 6e-8,
                     kCell = 1e-10;
    const Ellipsoid<double> e = problem.shapes.typical(cloud.shaped).ellipsoid;
    const double nx = problem.nx(), ny = problem.ny(), samples = static_cast<double>(cloud.samples);
    const double slices = std::min(2 * e.sz, static_cast<double>(problem.nz()));
    // In the mean, the box of a slice has 2/3 of the largest one's cells, and a row 4/3 sx cells.
    const double mean = 2 * std::sqrt(2.0 / 3);
    const double evaluated = slices * std::min(mean * e.ex, nx) * std::min(mean * e.sy, ny);
    const double rows = slices * std::min(std::numbers::pi / 2 * e.sy, ny);
    const double row = std::min(4.0 / 3 * e.sx, nx);
    const double added = problem.kernel.function->is_bounded() ? kAdded : kExpAdded;
    const double threads = std::clamp<double>(std::ceil(samples / kChunk), 1, most);
    const double sample = kSample + (cloud.shaped ? kShape : 0) + kSlice * slices +
                          kEvaluated * evaluated + added * rows * row +
                          kLine * (1 - 1 / threads) * rows *
                              (1 + row * static_cast<double>(value_bytes(precision)) / 64);
    return kStart + sample * samples / threads + kCell * static_cast<double>(problem.grid.cells());
  }

  std::unique_ptr<Run> start(const Problem& problem, int threads,
                             std::unique_ptr<HostValues> values) override {
    const CellProblem in_cells(problem, threads);
    if (problem.precision == Precision::f64)
      return std::make_unique<OpenmpRun<double>>(in_cells, std::move(values));
    return std::make_unique<OpenmpRun<float>>(in_cells, std::move(values));
  }
};

}  // namespace

std::unique_ptr<Engine> make_openmp(const EngineOptions& options) {
  return std::make_unique<OpenmpEngine>(options);
}

}  // namespace skde
