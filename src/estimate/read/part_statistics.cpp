#include "estimate/read/part_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/kernel/sample_shapes.hpp"
#include "core/report/thread_room.hpp"

namespace skde {
namespace {

/// Enough threads for the samples at edges; other threads read or wait for a device meanwhile.
int threads() { return std::clamp(thread_count(0), 1, 8); }

constexpr double kWiden = 1.5, kWidest = 4;  // relative to the kernels of the first request
constexpr std::size_t kLeastDeep = 4;        // deep samples for each one that is kept

bool lies_in(const Box& inner, const Box& outer) {
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis)
    inside =
        inside && inner.lower[axis] >= outer.lower[axis] && inner.upper[axis] <= outer.upper[axis];
  return inside;
}

}  // namespace

void FaceSamples::keep(const SamplesView& points, const Box& deep) {
  forget();
  points_ = points.xyz.data();
  size_ = points.size();
  deep_ = deep;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (deep.holds(points.point(i))) {
      deep_weight_ += points.weight(i);
      continue;
    }
    if (near_.size() * kLeastDeep >= points.size()) return;
    append_samples(near_, points.slice(i, 1));
  }
  has_near_ = true;
}

MassInBox FaceSamples::mass_in_box(const BoxMass& mass, const SamplesView& points, int threads) {
  if (points.shaped()) return skde::mass_in_box(mass, points, threads);
  const bool known = points_ == points.xyz.data() && size_ == points.size() &&
                     lies_in(deep_, mass.deep_box(1)) && lies_in(mass.deep_box(kWidest), deep_);
  if (!known) keep(points, mass.deep_box(kWiden));
  if (!has_near_) return skde::mass_in_box(mass, points, threads);
  MassInBox found = skde::mass_in_box(mass, near_.view(), threads);
  found.weight += deep_weight_;
  return found;
}

PartStatistics::PartStatistics(const Problem& problem, const Boundaries& boundaries, bool mass)
    : problem_(problem),
      mass_(mass ? std::optional<BoxMass>(std::in_place, problem.kernel, problem.grid(), boundaries,
                                          problem.min_width)
                 : std::nullopt) {}

KernelWork PartStatistics::work_of(const Problem& problem, const SamplesView& points, int threads) {
  constexpr double kRows = 5e4, kFewest = 32;
  const AxisSwap axes = longer_rows(problem.grid());  // rows of one cell would take seconds
  const Grid grid = axes.of(problem.grid());
  Kernel kernel = problem.kernel;
  kernel.H = axes.of(kernel.H);
  const Ellipsoid<double> e = kernel.ellipsoid(grid);
  const double rows = std::min(2 * e.sz + 1, static_cast<double>(grid.dims[2])) *
                      std::min(2 * e.ry + 1, static_cast<double>(grid.dims[1]));
  return count_work(e, grid, points, static_cast<std::size_t>(std::max(kFewest, kRows / rows)),
                    axes, threads);
}

ThinCounts PartStatistics::count_thin(const SamplesView& points) const {
  ThinCounts thin;
  if (!points.shaped() || !(problem_.min_width > 0)) return thin;
  std::vector<SampleShapes> shapes;  // the finer the cells, the more of them a deviation spans
  for (std::size_t k = 0; k < thin.on_cells.size(); ++k)
    shapes.emplace_back(problem_.kernel, problem_.grid(),
                        std::ldexp(problem_.min_width, -static_cast<int>(k)));
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < shapes.size() && shapes[k].is_at_floor(points, i); ++k)
      ++thin.on_cells[k];
  return thin;
}

void PartStatistics::look_at(const SamplesView& points, Block& block) const {
  if (mass_) block.mass = mass_->sums(points, block.moments);
  block.thin = count_thin(points);
}

PartFindings PartStatistics::sum_up(const SamplesView& points,
                                    std::span<const Block> blocks) const {
  PartFindings found;
  found.work = work_of(problem_, points, 1);
  for (const Block& block : blocks) found.thin += block.thin;
  if (!mass_) return found;
  std::vector<BoxMass::Sums> sums(blocks.size());
  std::ranges::transform(blocks, sums.begin(), &Block::mass);
  found.in_box = mass_->total(points, sums, threads());
  return found;
}

PartFindings PartStatistics::look_at(const SamplesView& points, FaceSamples* faces) const {
  PartFindings found{{}, count_thin(points), {}};
  if (mass_)
    found.in_box =
        faces ? faces->mass_in_box(*mass_, points, threads()) : mass_in_box(*mass_, points);
  return found;
}

}  // namespace skde
