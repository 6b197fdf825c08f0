#include "estimate/read/error_probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cloud/counter_random.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"

namespace skde {
namespace {

/// Tolerance beyond which a double sees nothing of an unbounded kernel.
constexpr double kAllOfIt = 1e-14;

/// Returns how many cells are affordable with sums over all samples, with this many images each.
std::size_t cell_count(std::int64_t samples, double images, bool shaped) {
  constexpr double kMost = 500, kFewest = 20, kPairs = 2e8, kShapedPairs = 5e7;
  const double afforded =
      (shaped ? kShapedPairs : kPairs) / (images * static_cast<double>(samples + 1));
  return static_cast<std::size_t>(std::clamp(afforded, kFewest, kMost));
}

Vec3 reach_of(const Problem& problem) {
  Kernel kernel = problem.kernel;
  kernel.tolerance = kAllOfIt;
  return kernel.half_extents();
}

/// Returns the mean number of images of a cell's centre that a sample in the box may reach.
double images_of(const Problem& problem) {
  const Vec3 reach = reach_of(problem);
  double images = 1;
  for (int axis = 0; axis < 3; ++axis)
    if (const double period = problem.periods[axis]; period > 0)
      images *= 1 + 2 * reach[axis] / period;
  return images;
}

/// Returns a coordinate relative to the grid's lower corner, as engines see it, and within the
/// period if there is one.
double seen_from(double lower, double place, double period) {
  const double from = place - lower;
  return period > 0 ? from - period * std::floor(from / period) : from;
}

}  // namespace

Vec3 ErrorProbe::reach(const Problem& problem) { return reach_of(problem); }

bool ErrorProbe::affords(const Problem& problem) {
  constexpr double kMostImages = 4096;
  return images_of(problem) <= kMostImages;
}

ErrorProbe::ErrorProbe(const Problem& problem, std::int64_t samples, bool shaped, int threads)
    : problem_(problem), threads_(thread_count(threads)) {
  constexpr std::uint64_t kSeed = 500;
  const Grid& grid = problem.grid();
  const CounterRandom random(kSeed, 0);
  problem_.kernel.tolerance = kAllOfIt;
  const std::size_t count = cell_count(samples, images_of(problem), shaped);
  const Vec3 reach = reach_of(problem);
  cells_.reserve(count);
  starts_.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    Draws draws = random.at(i);
    std::array<std::int64_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = std::min(
          grid.dims[axis] - 1,
          static_cast<std::int64_t>(draws.uniform() * static_cast<double>(grid.dims[axis])));
    starts_.push_back(places_.size() / 3);
    place_images(Grid{{}, grid.spacing, grid.dims}.centre(cell[0], cell[1], cell[2]), reach);
    cells_.push_back(cell);
  }
  starts_.push_back(places_.size() / 3);
  sums_.assign(starts_.back(), 0.0);
}

/// Adds a centre and those of its periodic images that are within reach of the grid's box. All are
/// relative to its lower corner: far from 0, absolute coordinates have too few digits.
void ErrorProbe::place_images(Vec3 centre, Vec3 reach) {
  std::array<std::vector<double>, 3> along;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double>& to = along[static_cast<std::size_t>(axis)];
    to.push_back(centre[axis]);
    const double period = problem_.periods[axis];
    if (!(period > 0)) continue;
    const double from = -reach[axis], end = period + reach[axis];
    const auto first = static_cast<std::int64_t>(std::ceil((from - centre[axis]) / period));
    const auto last = static_cast<std::int64_t>(std::floor((end - centre[axis]) / period));
    for (std::int64_t k = first; k <= last; ++k)
      if (k != 0) to.push_back(centre[axis] + static_cast<double>(k) * period);
  }
  for (const double z : along[2])
    for (const double y : along[1])
      for (const double x : along[0]) places_.insert(places_.end(), {x, y, z});
}

void ErrorProbe::add(const SamplesView& points, const Symmetric3& H) {
  Kernel kernel = problem_.kernel;
  kernel.H = H;
  if (points.shaped())
    add_shaped(points, kernel);
  else
    add_from_corner(points, kernel);
}

/// Moves samples into the box, where the images of the places see them.
void ErrorProbe::add_from_corner(const SamplesView& points, const Kernel& kernel) {
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  const Vec3 lower = problem_.grid().lower;
  Samples inside;
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    const SamplesView block = points.slice(first, std::min(kBlock, points.size() - first));
    inside.xyz.assign(block.xyz.begin(), block.xyz.end());
    inside.weights.assign(block.weights.begin(), block.weights.end());
    for (std::size_t i = 0; i < inside.xyz.size(); ++i) {
      const int axis = static_cast<int>(i % 3);
      inside.xyz[i] = seen_from(lower[axis], inside.xyz[i], problem_.periods[axis]);
    }
    add_sums_at(places_, kernel, inside.view(), threads_, sums_);
  }
}

/// Adds samples with kernels of their own, as widened on this grid. No engine wraps these.
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
    const auto sums = sums_.begin();
    const double expected =
        std::accumulate(sums + static_cast<std::ptrdiff_t>(starts_[c]),
                        sums + static_cast<std::ptrdiff_t>(starts_[c + 1]), 0.0) /
        problem_.total_weight;
    worst_ = std::max(worst_, std::abs(slices.at(cell[0], cell[1], cell[2] - z) - expected));
  }
}

}  // namespace skde
