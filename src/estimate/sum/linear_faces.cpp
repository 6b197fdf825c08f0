#include "estimate/sum/run_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/kernel/kernel_mass.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/sum/grid_sums.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

constexpr int kBins = 512;   // of a kernel along an axis
constexpr int kTilts = 128;  // steps of a table
/// A tilt is a slope of the logarithm times the kernel's deviation. That of most densities at a
/// good bandwidth is well below 1.
constexpr double kMostTilt = 1, kTypicalTilt = 0.5;

/// The mass of a kernel along one axis, whatever its H: bins with their centres in deviations.
struct KernelAlong {
  explicit KernelAlong(const Kernel& kernel);
  std::array<double, kBins> place, mass;
  std::array<double, kTilts + 1> open{};  ///< integrals with each tilt, without faces
  double reach;                           ///< in deviations
};

/// Returns the tilt of a step of the tables.
double tilt_of(std::size_t step) {
  return kMostTilt * (2.0 * static_cast<double>(step) / kTilts - 1);
}

KernelAlong::KernelAlong(const Kernel& kernel) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Kernel ball = kernel;
  ball.H = {1, 0, 0, 1, 0, 1};
  Grid grid;
  grid.spacing = {1, 1, 1};
  const Ellipsoid<double> ellipsoid = ball.ellipsoid(grid);
  const KernelMass masses(ball);
  const double end = ball.cut(), deviation = std::sqrt(ball.function->variance);
  reach = end / deviation;
  double below = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    const auto upper = [&](double bins) { return end * (2 * bins / kBins - 1); };
    const double to = upper(static_cast<double>(b) + 1),
                 share = masses.in_box(ellipsoid, {{-kFar, -kFar, -kFar}, {to, kFar, kFar}});
    place[b] = upper(static_cast<double>(b) + 0.5) / deviation;
    mass[b] = std::max(0.0, share - below);
    below = share;
  }
  for (std::size_t t = 0; t <= kTilts; ++t)
    for (std::size_t b = 0; b < kBins; ++b) open[t] += mass[b] * std::exp(tilt_of(t) * place[b]);
}

/// The correction at one distance from the faces, for each tilt in [-kMostTilt, kMostTilt].
class FaceTable {
 public:
  /// `at`: distance from the lower face; `extent`: between the faces; both in deviations.
  FaceTable(const KernelAlong& kernel, double at, double extent);

  /// Returns the factor for samples with this mean distance, of which a cell sees so many.
  double factor(double mean, double seen) const;

 private:
  std::array<double, kTilts + 1> mean_{}, factor_{};
  double spread_ = 0;  ///< variance of the distance without a tilt
};

FaceTable::FaceTable(const KernelAlong& kernel, double at, double extent) {
  std::array<double, kBins> moved;  // by the folds, relative to the cell
  for (std::size_t b = 0; b < kBins; ++b) {
    double place = at + kernel.place[b];
    place -= 2 * extent * std::floor(place / (2 * extent));
    moved[b] = std::min(place, 2 * extent - place) - at;
  }
  for (std::size_t t = 0; t <= kTilts; ++t) {
    double folded = 0, first = 0, second = 0;
    for (std::size_t b = 0; b < kBins; ++b) {
      const double grown = kernel.mass[b] * std::exp(tilt_of(t) * moved[b]);
      folded += grown;
      first += grown * moved[b];
      second += grown * moved[b] * moved[b];
    }
    mean_[t] = at + first / folded;
    factor_[t] = kernel.open[t] / folded;
    if (t == kTilts / 2) spread_ = second / folded - first * first / (folded * folded);
  }
}

/// The estimated tilt has the variance 1 / (seen spread), and tilts have kTypicalTilt^2.
double FaceTable::factor(double mean, double seen) const {
  const auto above = std::ranges::upper_bound(mean_, mean);
  const auto cell = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - mean_.begin() - 1, 0, kTilts - 1));
  const double between =
      std::clamp((mean - mean_[cell]) / (mean_[cell + 1] - mean_[cell]), 0.0, 1.0);
  const double known = seen * spread_ * kTypicalTilt * kTypicalTilt;
  const double steps = (static_cast<double>(cell) + between - kTilts / 2) * known / (known + 1);
  const double step = steps + kTilts / 2;
  const auto low = std::min(static_cast<std::size_t>(step), std::size_t{kTilts - 1});
  return std::lerp(factor_[low], factor_[low + 1], step - static_cast<double>(low));
}

/// Corrects a density, axis by axis.
class FaceCorrection {
 public:
  /// `values` are those of mirrored samples.
  FaceCorrection(CloudSource& source, const DensityFacts& facts, const Volume& values);

  /// Returns the corrected values.
  Volume corrected(Progress& progress) const;

 private:
  double deviation(int axis) const;
  std::vector<std::unique_ptr<FaceTable>> tables(int axis) const;
  Volume with_distances(int axis, Progress& progress) const;
  void correct(int axis, const Volume& with_distances, Volume& values) const;

  CloudSource& source_;
  const DensityFacts& facts_;
  const Volume& values_;
  KernelAlong kernel_;
  double weight_ = 0;  ///< in the sum of a cell, for each unit of its value
  double seen_ = 0;    ///< samples that a cell sees, for each unit of its value
};

FaceCorrection::FaceCorrection(CloudSource& source, const DensityFacts& facts, const Volume& values)
    : source_(source), facts_(facts), values_(values), kernel_(facts.kernel) {
  const KernelRow& row = facts.kernel.function.row();
  weight_ = facts.moments.total_weight() * facts.sum_in_box / values.mass();
  // As many as under a level kernel with the same integral of its square.
  seen_ = weight_ * facts.moments.effective_samples() / facts.moments.total_weight() *
          row.constant / (row.roughness * facts.kernel.amplitude());
}

/// Returns the deviation of the kernel along an axis, in world units.
double FaceCorrection::deviation(int axis) const {
  const Symmetric3& H = facts_.kernel.H;
  const std::array<double, 3> diagonal{H.xx, H.yy, H.zz};
  return std::sqrt(diagonal[static_cast<std::size_t>(axis)] * facts_.kernel.function->variance);
}

/// Returns the tables of the cells along an axis; none where no face is in reach.
std::vector<std::unique_ptr<FaceTable>> FaceCorrection::tables(int axis) const {
  const Grid& grid = facts_.grid;
  const std::int64_t cells = grid.dims[static_cast<std::size_t>(axis)];
  const double cell = grid.spacing[axis] / deviation(axis),
               extent = cell * static_cast<double>(cells);
  std::vector<std::unique_ptr<FaceTable>> tables(static_cast<std::size_t>(cells));
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t i = 0; i < cells; ++i) {
    const double at = (static_cast<double>(i) + 0.5) * cell;
    if (std::min(at, extent - at) < kernel_.reach)
      tables[static_cast<std::size_t>(i)] = std::make_unique<FaceTable>(kernel_, at, extent);
  }
  return tables;
}

/// Returns the sums of kernels times weight times 1 + d, where d is a sample's distance from the
/// lower face as a share of that between the faces.
Volume FaceCorrection::with_distances(int axis, Progress& progress) const {
  const Box box = facts_.grid.bounds();
  const SamplesView& points = source_.cloud->points;
  std::vector<double> factors(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double share = (points.point(i)[axis] - box.lower[axis]) / box.extent()[axis];
    factors[i] = 1 + std::clamp(share, 0.0, 1.0);
  }
  CloudSource weighted;
  weighted.options.memory_limit = source_.options.memory_limit;
  DensityRequest request = request_on_grid(facts_);
  request.normalization = Normalization::count;
  return reweighted_sums(weighted, source_.cloud, request, factors, progress);
}

void FaceCorrection::correct(int axis, const Volume& with_distances, Volume& values) const {
  const auto tables = this->tables(axis);
  const std::int64_t nx = facts_.grid.dims[0], ny = facts_.grid.dims[1], nz = facts_.grid.dims[2];
  const double length = facts_.grid.bounds().extent()[axis] / deviation(axis);
  const auto correct_rows = [&]<class Real>(std::span<const Real> own, const auto& with) {
    const std::span<Real> to = values.values<Real>();
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < ny * nz; ++row)
      for (std::int64_t x = 0; x < nx; ++x) {
        const std::array<std::int64_t, 3> cell{x, row % ny, row / ny};
        const FaceTable* const table =
            tables[static_cast<std::size_t>(cell[static_cast<std::size_t>(axis)])].get();
        const auto i = static_cast<std::size_t>(row * nx + x);
        const double value = own[i];
        if (table == nullptr || !(value > 0)) continue;
        const double mean = length * (with[i] / (value * weight_) - 1);
        to[i] *= static_cast<Real>(table->factor(mean, value * seen_));
      }
  };
  std::visit(correct_rows, values_.value_span(), with_distances.value_span());
}

Volume FaceCorrection::corrected(Progress& progress) const {
  Volume values = values_;
  for (int axis = 0; axis < 3; ++axis)
    if (facts_.boundaries[static_cast<std::size_t>(axis)] == Boundary::linear)
      correct(axis, with_distances(axis, progress), values);
  values.scale(values_.sum() / values.sum());
  return values;
}

}  // namespace

Density run_to_faces(CloudSource& source, const DensityPlan& plan, Progress& progress) {
  Density density = run_density(source, plan, progress);
  if (!is_linear(plan.boundaries)) return density;
  const StopWatch correcting;
  DensityFacts facts = std::move(density.facts());
  DensityMetadata metadata = density.metadata;
  const Volume values = density.take_volume();
  Volume corrected = FaceCorrection(source, facts, values).corrected(progress);
  facts.peak = corrected.maximum();
  require_in_range(facts.peak, facts.precision);
  add_stages(facts.stages, {{"correct at faces", correcting.seconds()}});
  return {std::move(facts), std::move(metadata),
          BufferLease(std::make_unique<HostValues>(std::move(corrected)))};
}

DensityFacts stream_to_faces(CloudSource& source, const DensityPlan& plan, SliceSink& sink,
                             Progress& progress) {
  if (!is_linear(plan.boundaries)) return stream_density(source, plan, sink, progress);
  sink.expect(plan.grid, plan.precision);
  Density density = run_to_faces(source, plan, progress);
  sink.begin(density.facts());
  sink.take(0, density.volume(), progress);
  sink.finish(density.facts(), progress);
  return std::move(density.facts());
}

}  // namespace skde
