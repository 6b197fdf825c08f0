#include "estimate/error_probe.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "core/counter_random.hpp"
#include "core/sample_shapes.hpp"
#include "engines/cpu/point_sums.hpp"

namespace skde {
namespace {

/// Beyond which double sees nothing of a kernel without an end.
constexpr double kAllOfIt = 1e-14;

/// As many as sums over all samples afford.
std::size_t cell_count(std::int64_t samples, bool shaped) {
  constexpr double kMost = 500, kFewest = 20, kPairs = 2e8, kShapedPairs = 5e7;
  const double afforded = (shaped ? kShapedPairs : kPairs) / static_cast<double>(samples + 1);
  return static_cast<std::size_t>(std::clamp(afforded, kFewest, kMost));
}

}  // namespace

ErrorProbe::ErrorProbe(const Problem& problem, std::int64_t samples, bool shaped, int threads)
    : problem_(problem), threads_(threads > 0 ? threads : omp_get_num_procs()) {
  constexpr std::uint64_t kSeed = 500;
  const Grid& grid = problem.grid();
  const CounterRandom random(kSeed, 0);
  problem_.kernel.tolerance = kAllOfIt;
  const std::size_t count = cell_count(samples, shaped);
  cells_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Draws draws = random.at(i);
    std::array<std::int64_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = std::min(
          grid.dims[axis] - 1,
          static_cast<std::int64_t>(draws.uniform() * static_cast<double>(grid.dims[axis])));
    const Vec3 centre = grid.centre(cell[0], cell[1], cell[2]);
    places_.insert(places_.end(), {centre.x, centre.y, centre.z});
    cells_.push_back(cell);
  }
  sums_.assign(count, 0.0);
}

void ErrorProbe::add(const SamplesView& points, const Symmetric3& H) {
  Kernel kernel = problem_.kernel;
  kernel.H = H;
  if (points.shaped())
    add_shaped(points, kernel);
  else
    add_sums_at(places_, kernel, points, threads_, sums_);
}

/// Of samples whose kernels are their own, as they are widened on this grid.
void ErrorProbe::add_shaped(const SamplesView& points, const Kernel& kernel) {
  constexpr std::size_t kBlock = 4096;
  const Grid& grid = problem_.grid();
  const SampleShapes shapes(kernel, grid, problem_.min_width);
  struct Placed {
    Vec3 place;
    SampleShape shape;
  };
  std::vector<Placed> block;
  block.reserve(kBlock);
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    block.clear();
    for (std::size_t i = first; i < std::min(first + kBlock, points.size()); ++i) {
      SampleShape shape = shapes.of(points, i);
      shape.amplitude *= points.weight(i);
      block.push_back({grid.to_cells(points.point(i)), shape});
    }
    with_profile(kernel, [&](const auto& profile) {
#pragma omp parallel for schedule(static) num_threads(threads_)
      for (std::size_t c = 0; c < cells_.size(); ++c) {
        const auto& cell = cells_[c];
        double sum = 0;
        for (const Placed& s : block)
          sum += s.shape.amplitude *
                 profile.value(s.shape.ellipsoid.q(static_cast<double>(cell[0]) - s.place.x,
                                                   static_cast<double>(cell[1]) - s.place.y,
                                                   static_cast<double>(cell[2]) - s.place.z));
        sums_[c] += sum;
      }
    });
  }
}

void ErrorProbe::compare(const Volume& slices, std::int64_t z) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto& cell = cells_[c];
    if (cell[2] < z || cell[2] >= z + slices.grid().dims[2]) continue;
    const double expected = sums_[c] / problem_.total_weight;
    worst_ = std::max(worst_, std::abs(slices.at(cell[0], cell[1], cell[2] - z) - expected));
  }
}

}  // namespace skde
