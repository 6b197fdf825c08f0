#include "engines/cpu/openmp_engine.hpp"

#include <atomic>

#include "core/stop_watch.hpp"
#include "engines/cpu/cpu_engine.hpp"
#include "engines/cpu/placed_sample.hpp"

namespace skde {
namespace {

constexpr std::int64_t kChunk = 64;  // samples a thread takes at a time
/// Cells that a thread evaluates before it asks whether to stop: a kernel may be as large as the
/// grid.
constexpr std::int64_t kCellsBetweenChecks = 5'000'000;

template <class Real>
class OpenmpEngine final : public CpuEngine {
 public:
  explicit OpenmpEngine(const EngineOptions& options) : CpuEngine(options) {}

  const EngineTraits& traits() const override { return kOpenmpTraits; }
  std::string launch_policy() const override {
    return std::to_string(session_.threads()) + " threads, " + std::to_string(kChunk) +
           " samples at a time";
  }

  StageTimes run(DensityBuffer& buffer, Progress& progress) override {
    const StopWatch watch;
    Real* const values = session_.volume_of(buffer).template values<Real>().data();
    with_kernel(session_.problem().kernel.function,
                [&]<KernelFunction F>() { add_samples<F>(values, progress); });
    return {{"accumulate", watch.seconds()}};
  }

 private:
  template <KernelFunction F>
  void add_samples(Real* values, Progress& progress) {
    const PointsView& points = session_.points();
    const auto count = static_cast<std::int64_t>(points.size());
    const Ellipsoid<Real> ellipsoid = session_.ellipsoid().template cast<Real>();
    SharedProgress shared(progress, kAccumulateStage, static_cast<std::uint64_t>(count), "samples");
    std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(session_.threads())
    for (std::int64_t first = 0; first < count; first += kChunk) {
      if (stopped) continue;
      const std::int64_t last = std::min(first + kChunk, count);
      std::int64_t evaluated = 0;  // cells since the last check
      for (std::int64_t i = first; i < last && !stopped; ++i)
        add_sample<F>(values, ellipsoid, static_cast<std::size_t>(i), evaluated, shared, stopped);
      if (!shared.advance(static_cast<std::uint64_t>(last - first))) stopped = true;
    }
    shared.finish();
  }

  /// Chops the sample's kernel into slices, crops each and evaluates the cells that are left.
  template <KernelFunction F>
  void add_sample(Real* values, const Ellipsoid<Real>& e, std::size_t i, std::int64_t& evaluated,
                  SharedProgress& shared, std::atomic<bool>& stopped) {
    const Grid& grid = session_.problem().grid;
    const auto s = place_sample<Real>(grid, session_.ellipsoid(), session_.points().point(i));
    const Real weight = static_cast<Real>(session_.amplitude() * session_.points().weight(i));
    if (!s.reaches || !(weight > 0)) return;
    const auto nx = static_cast<std::int32_t>(grid.dims[0]),
               ny = static_cast<std::int32_t>(grid.dims[1]),
               nz = static_cast<std::int32_t>(grid.dims[2]);
    const IndexRange slices = chop(e, s.offset[2], nz, s.cell[2]);
    for (std::int32_t z = slices.begin; z < slices.end; ++z) {
      const Real dz = static_cast<Real>(z - s.cell[2]) - s.offset[2];
      const GridRange range = crop(e, s.offset[0], s.offset[1], dz, nx, ny, s.cell[0], s.cell[1]);
      add_slice<F>(values + std::int64_t{z} * ny * nx, nx, e, s, range, dz, weight);
      evaluated += range.cells();
      if (evaluated < kCellsBetweenChecks) continue;
      evaluated = 0;
      if (!shared.advance(0)) stopped = true;
      if (stopped) return;
    }
  }

  template <KernelFunction F>
  static void add_slice(Real* slice, std::int32_t nx, const Ellipsoid<Real>& e,
                        const PlacedSample<Real>& s, const GridRange& range, Real dz, Real weight) {
    for (std::int32_t y = range.y.begin; y < range.y.end; ++y) {
      const Real dy = static_cast<Real>(y - s.cell[1]) - s.offset[1];
      Real* const row = slice + std::int64_t{y} * nx;
      for (std::int32_t x = range.x.begin; x < range.x.end; ++x) {
        const Real q = e.q(static_cast<Real>(x - s.cell[0]) - s.offset[0], dy, dz);
        if (!(q < Real(1))) continue;
        const Real added = weight * kernel_profile<F, Real>(q);
#pragma omp atomic
        row[x] += added;
      }
    }
  }
};

}  // namespace

std::unique_ptr<Engine> make_openmp(const EngineOptions& options) {
  if (options.precision == Precision::f64) return std::make_unique<OpenmpEngine<double>>(options);
  return std::make_unique<OpenmpEngine<float>>(options);
}

}  // namespace skde
