#include "engines/cpu/z_order.hpp"

#include <algorithm>
#include <cmath>

#include "core/counting_sort.hpp"
#include "engines/cpu/shared_progress.hpp"

namespace skde {
namespace {

constexpr std::int32_t kNoBucket = -1;

}  // namespace

template <class Real>
std::size_t ZOrder<Real>::bucket_of(std::int32_t cell_z) const {
  return static_cast<std::size_t>(std::clamp(cell_z, -margin_, slices_ + margin_) + margin_);
}

template <class Real>
void ZOrder<Real>::size_for(const CellProblem& problem) {
  slices_ = problem.nz();
  reach_ = static_cast<std::int32_t>(std::min(std::ceil(problem.ellipsoid.sz) + 1, 1e9));
  margin_ = std::min(reach_, slices_);  // samples further away share the outermost buckets
}

template <class Real>
std::size_t ZOrder<Real>::buckets() const {
  return static_cast<std::size_t>(slices_) + 2 * static_cast<std::size_t>(margin_) + 1;
}

template <class Real>
double ZOrder<Real>::fixed_bytes(const CellProblem& problem) {
  ZOrder sized;
  sized.size_for(problem);
  return static_cast<double>(sized.buckets()) * sizeof(std::size_t) * (problem.threads + 1);
}

template <class Real>
void ZOrder<Real>::build(const CellProblem& problem, const SamplesView& points,
                         Progress& progress) {
  const Grid& grid = problem.grid;
  const Ellipsoid<double>& ellipsoid = problem.ellipsoid;
  size_for(problem);
  const std::size_t buckets = this->buckets();
  SharedProgress shared(progress, "sort", 2 * points.size(), "samples");
  const auto each = reported_loop(shared);
  const auto found = std::make_unique_for_overwrite<std::int32_t[]>(points.size());
  CountingSort sort(points.size(), buckets, problem.threads);
  sort.count(each, [&](std::size_t i, int) {
    const auto placed = place_sample<Real>(grid, ellipsoid, problem.axes.of(points.point(i)));
    const bool counts = placed.reaches && points.weight(i) != 0;
    return found[i] = counts ? static_cast<std::int32_t>(bucket_of(placed.cell[2])) : kNoBucket;
  });
  shared.finish();
  starts_ = sort.starts();
  if (starts_.back() > capacity_) {
    samples_.reset();
    samples_ = std::make_unique_for_overwrite<SliceSample<Real>[]>(starts_.back());
    capacity_ = starts_.back();
  }
  sort.deal(
      each, [&](std::size_t i, int) { return found[i]; },
      [&](std::size_t i, std::size_t to) {
        const auto p = place_sample<Real>(grid, ellipsoid, problem.axes.of(points.point(i)));
        samples_[to] = {{p.cell[0], p.cell[1], p.cell[2]},
                        {p.offset[0], p.offset[1], p.offset[2]},
                        static_cast<Real>(problem.amplitude * points.weight(i))};
      });
  shared.finish();
}

template <class Real>
std::span<const SliceSample<Real>> ZOrder<Real>::samples_near(std::int32_t z) const {
  const std::size_t first = starts_[bucket_of(z - reach_)],
                    last = starts_[bucket_of(z + reach_) + 1];
  return {samples_.get() + first, last - first};
}

template class ZOrder<float>;
template class ZOrder<double>;

}  // namespace skde
