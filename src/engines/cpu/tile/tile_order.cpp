#include "engines/cpu/tile/tile_order.hpp"

#include <algorithm>
#include <cmath>

#include "core/counting_sort.hpp"
#include "core/kernel/cell_nodes.hpp"
#include "engines/cpu/shared_progress.hpp"

namespace skde {
namespace {

constexpr std::int32_t kNoBin = -1;
/// The longest reach of the lowest class, in cells, and the shortest edge of a bin.
constexpr double kLowestReach = 4;
constexpr std::int64_t kShortestEdge = 16;
constexpr std::int64_t kMostBins = std::int64_t{1} << 15;  ///< of a class

/// Rounds a reach up to whole cells that 32 bits hold, with room for rounding errors.
std::int64_t whole_cells(double reach) {
  return static_cast<std::int64_t>(std::min(std::ceil(reach), 1e9)) + 1;
}

/// From a cell's centre to its faces, in cells: how much further kernels reach if cells take means.
Vec3 edge_of(const CellProblem& problem) { return problem.means ? Vec3{0.5, 0.5, 0.5} : Vec3{}; }

/// Makes a reach at least as long as another along each axis.
void widen(Vec3& reach, Vec3 other) {
  for (int axis = 0; axis < 3; ++axis) reach[axis] = std::max(reach[axis], other[axis]);
}

/// Places a sample; in the middle of its cell if cells take means and its kernel is a point.
template <class Real>
PlacedSample<Real> placed_in_cell(const CellProblem& problem, const Ellipsoid<double>& e,
                                  Vec3 world) {
  auto placed = place_sample<Real>(problem.grid, e, world);
  if (!problem.means || !is_point(e)) return placed;
  const auto cell = problem.grid.cell_at(world);
  for (std::size_t axis = 0; cell && axis < 3; ++axis) {
    placed.cell[axis] = static_cast<std::int32_t>((*cell)[axis]);
    placed.offset[axis] = 0;
  }
  return placed;
}

}  // namespace

/// Where the sort puts a sample.
template <class Real>
struct TileOrder<Real>::Placed {
  Vec3 reach;
  std::size_t width_class = 0;
  std::int32_t bin = kNoBin;  ///< among the bins of all classes
};

template <class Real>
double TileOrder<Real>::sample_bytes(bool shaped) {
  return sizeof(SliceSample<Real>) + sizeof(std::int32_t) + (shaped ? sizeof(Ellipsoid<Real>) : 0);
}

template <class Real>
double TileOrder<Real>::fixed_bytes(const CellProblem& problem, bool shaped) {
  TileOrder sized;
  sized.size_for(problem, shaped);
  return static_cast<double>(sized.bins_) * sizeof(std::size_t) * (problem.threads + 1);
}

/// Makes one class for samples of one shape, otherwise enough classes for reaches up to the grid's
/// longest side.
template <class Real>
void TileOrder<Real>::size_for(const CellProblem& problem, bool shaped) {
  shaped_ = shaped;
  dims_ = problem.grid.dims;
  const double longest = static_cast<double>(*std::ranges::max_element(dims_));
  classes_.clear();
  bins_ = 0;
  Vec3 reach =
      Vec3{problem.ellipsoid.rx, problem.ellipsoid.ry, problem.ellipsoid.sz} + edge_of(problem);
  for (double most = kLowestReach;; most *= 2) {
    if (shaped) reach = {most, most, most};
    WidthClass& added = classes_.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis)
      added.margin[axis] = std::min(whole_cells(reach[static_cast<int>(axis)]), dims_[axis]);
    added.edge = kShortestEdge;
    for (std::int64_t total = kMostBins + 1; total > kMostBins; added.edge *= 2) {
      total = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        added.bins[axis] = (dims_[axis] + 2 * added.margin[axis]) / added.edge + 1;
        total *= added.bins[axis];
      }
      if (total <= kMostBins) break;
    }
    added.first_bin = bins_;
    bins_ += static_cast<std::size_t>(added.bins[0] * added.bins[1] * added.bins[2]);
    if (!shaped || most >= longest) break;
  }
}

/// Reaches beyond the grid's longest side are of the last class.
template <class Real>
std::size_t TileOrder<Real>::class_of(Vec3 reach) const {
  if (!shaped_) return 0;
  const double longest = std::max({reach.x, reach.y, reach.z});
  if (!(longest > kLowestReach)) return 0;
  const auto doublings = static_cast<std::size_t>(std::ilogb(longest / kLowestReach)) + 1;
  return std::min(doublings, classes_.size() - 1);
}

template <class Real>
std::int64_t TileOrder<Real>::bin_along(const WidthClass& of, std::size_t axis,
                                        std::int64_t cell) const {
  const std::int64_t margin = of.margin[axis];
  return (std::clamp(cell, -margin, dims_[axis] + margin) + margin) / of.edge;
}

template <class Real>
typename TileOrder<Real>::Placed TileOrder<Real>::place(const CellProblem& problem,
                                                        const SamplesView& points,
                                                        std::size_t i) const {
  Placed placed;
  placed.reach = problem.shapes.reach_of(points, i) + edge_of(problem);
  const auto at = place_sample<Real>(problem.grid, placed.reach, points.point(i));
  if (!at.reaches || points.weight(i) == 0) return placed;
  placed.width_class = class_of(placed.reach);
  const WidthClass& of = classes_[placed.width_class];
  std::int64_t bin = 0;
  for (std::size_t axis = 3; axis-- > 0;)
    bin = bin * of.bins[axis] + bin_along(of, axis, at.cell[axis]);
  placed.bin = static_cast<std::int32_t>(static_cast<std::int64_t>(of.first_bin) + bin);
  return placed;
}

template <class Real>
void TileOrder<Real>::reserve(std::size_t samples) {
  if (samples > capacity_) {
    samples_.reset();
    samples_ = std::make_unique_for_overwrite<SliceSample<Real>[]>(samples);
    capacity_ = samples;
  }
  if (shaped_ && samples > ellipsoid_capacity_) {
    ellipsoids_.reset();
    ellipsoids_ = std::make_unique_for_overwrite<Ellipsoid<Real>[]>(samples);
    ellipsoid_capacity_ = samples;
  }
}

template <class Real>
void TileOrder<Real>::build(const CellProblem& problem, const SamplesView& points,
                            Progress& progress) {
  size_for(problem, points.shaped());
  SharedProgress shared(progress, "sort", 2 * points.size(), "samples");
  const auto each = reported_loop(shared);
  const auto bins = std::make_unique_for_overwrite<std::int32_t[]>(points.size());
  std::vector<std::vector<WidthClass>> found(static_cast<std::size_t>(problem.threads), classes_);
  CountingSort sort(points.size(), bins_, problem.threads);
  sort.count(each, [&](std::size_t i, int t) {
    const Placed placed = place(problem, points, i);
    if (placed.bin != kNoBin)
      widen(found[static_cast<std::size_t>(t)][placed.width_class].reach, placed.reach);
    return bins[i] = placed.bin;
  });
  shared.finish();
  for (const auto& classes : found)
    for (std::size_t k = 0; k < classes_.size(); ++k) widen(classes_[k].reach, classes[k].reach);
  starts_ = sort.starts();
  reserve(starts_.back());
  sort.deal(
      each, [&](std::size_t i, int) { return bins[i]; },
      [&](std::size_t i, std::size_t to) {
        const SampleShape shape = problem.shapes.of(points, i);
        const auto at = placed_in_cell<Real>(problem, shape.ellipsoid, points.point(i));
        const double height = problem.means ? 1 / problem.grid.cell_volume() : shape.amplitude;
        samples_[to] = {{at.cell[0], at.cell[1], at.cell[2]},
                        {at.offset[0], at.offset[1], at.offset[2]},
                        static_cast<Real>(height / problem.total_weight * points.weight(i))};
        if (shaped_) ellipsoids_[to] = shape.ellipsoid.template cast<Real>();
      });
  shared.finish();
}

template <class Real>
std::vector<SampleRange> TileOrder<Real>::ranges_near(const CellBox& box) const {
  std::vector<SampleRange> ranges;
  for (const WidthClass& of : classes_) {
    std::array<std::int64_t, 3> low{}, high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t reach = whole_cells(of.reach[static_cast<int>(axis)]);
      low[axis] = bin_along(of, axis, box.axes[axis].begin - reach);
      high[axis] = bin_along(of, axis, box.axes[axis].end + reach);
    }
    for (std::int64_t z = low[2]; z <= high[2]; ++z)
      for (std::int64_t y = low[1]; y <= high[1]; ++y) {
        const std::size_t row =
            of.first_bin + static_cast<std::size_t>((z * of.bins[1] + y) * of.bins[0]);
        const SampleRange range{starts_[row + static_cast<std::size_t>(low[0])],
                                starts_[row + static_cast<std::size_t>(high[0]) + 1]};
        if (range.size() > 0) ranges.push_back(range);
      }
  }
  return ranges;
}

template class TileOrder<float>;
template class TileOrder<double>;

}  // namespace skde
