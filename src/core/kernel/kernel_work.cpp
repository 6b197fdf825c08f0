#include "core/kernel/kernel_work.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "core/report/thread_room.hpp"

namespace skde {
namespace {

bool contains(const Box& box, Vec3 p) {
  for (int axis = 0; axis < 3; ++axis)
    if (!(p[axis] >= box.lower[axis] && p[axis] < box.upper[axis])) return false;
  return true;
}

/// Returns the index of sample k of `counted`, one from each equal stretch of a cloud of `size`.
/// The place within the stretch varies without a period: clouds often alternate between kinds of
/// samples, and an even stride might meet only one kind.
std::size_t chosen(std::uint64_t k, std::uint64_t counted, std::uint64_t size) {
  const std::uint64_t begin = k * size / counted, end = (k + 1) * size / counted;
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;  // of 2^64
  return begin + (k * kGoldenRatio >> 32) % (end - begin);
}

}  // namespace

KernelWork& KernelWork::operator+=(const KernelWork& other) {
  evaluated += other.evaluated;
  updates += other.updates;
  slices += other.slices;
  rows += other.rows;
  unseen_weight += other.unseen_weight;
  return *this;
}

KernelWork count_work(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                      const SamplesView& points, std::size_t most_counted, AxisSwap axes,
                      int threads) {
  if (points.size() == 0) return {};
  const std::size_t size = points.size(), counted = std::clamp<std::size_t>(most_counted, 1, size);
  const Box box = grid.bounds();
  // Blocks have a fixed size and are added in order, so the result does not depend on threads.
  constexpr std::size_t kBlock = 64;
  std::vector<KernelWork> parts((counted + kBlock - 1) / kBlock);
  constexpr double kSecondsARow = 1e-8;
  const double rows = std::min(2 * ellipsoid.sz + 1, static_cast<double>(grid.dims[2])) *
                      std::min(2 * ellipsoid.ry + 1, static_cast<double>(grid.dims[1]));
  [[maybe_unused]] const int workers =
      threads_worth(kSecondsARow * rows * static_cast<double>(counted), thread_count(threads));
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (std::size_t block = 0; block < parts.size(); ++block)
    for (std::size_t k = block * kBlock; k < std::min(counted, (block + 1) * kBlock); ++k) {
      const std::size_t i = chosen(k, counted, size);
      const Vec3 position = axes.of(points.point(i));
      const CellCounts cells = count_cells(ellipsoid, grid, position);
      const bool unseen = cells.inside == 0 && contains(box, position);
      parts[block] += {static_cast<double>(cells.evaluated), static_cast<double>(cells.inside),
                       static_cast<double>(cells.slices), static_cast<double>(cells.rows),
                       unseen ? points.weight(i) : 0};
    }
  KernelWork work;
  for (const KernelWork& part : parts) work += part;
  const double scale = static_cast<double>(size) / static_cast<double>(counted);
  return {work.evaluated * scale, work.updates * scale, work.slices * scale, work.rows * scale,
          work.unseen_weight * scale};
}

struct WorkCount::Later {
  std::shared_ptr<Later> before;  ///< added earlier
  std::function<KernelWork()> count;
  std::once_flag counted;
  KernelWork work;

  const KernelWork& value() {
    std::call_once(counted, [&] {
      work = std::exchange(count, {})();
      if (before) work += before->value();
    });
    return work;
  }
};

WorkCount& WorkCount::operator+=(const KernelWork& known) {
  known_ += known;
  return *this;
}

void WorkCount::add_later(std::function<KernelWork()> count) {
  auto later = std::make_shared<Later>();
  later->before = std::move(later_);
  later->count = std::move(count);
  later_ = std::move(later);
}

KernelWork WorkCount::value() const {
  KernelWork all = known_;
  if (later_) all += later_->value();
  return all;
}

}  // namespace skde
