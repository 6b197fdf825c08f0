#include "analysis/answers/level_regions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/answers/density_peaks.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr std::int32_t kNoRegion = -1;

/// Sets of preliminary labels that turned out to touch.
class LabelSets {
 public:
  std::int32_t add() {
    if (parents_.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      throw Error(ErrorKind::resources, "there are 2^31 regions or more",
                  {{}, "choose a higher level, or a larger bandwidth"});
    parents_.push_back(static_cast<std::int32_t>(parents_.size()));
    return parents_.back();
  }
  /// Returns the least label of a set.
  std::int32_t root_of(std::int32_t label) {
    while (parents_[index(label)] != label)
      label = parents_[index(label)] = parents_[index(parents_[index(label)])];
    return label;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = root_of(a);
    b = root_of(b);
    parents_[index(std::max(a, b))] = std::min(a, b);
  }
  std::size_t size() const { return parents_.size(); }

 private:
  static std::size_t index(std::int32_t label) { return static_cast<std::size_t>(label); }

  std::vector<std::int32_t> parents_;
};

/// The cells before (0, 0, 0) in memory that touch it.
std::vector<std::array<int, 3>> touching_before(Touching touching) {
  std::vector<std::array<int, 3>> before;
  for (int z = -1; z <= 0; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const bool is_before = z < 0 || (z == 0 && (y < 0 || (y == 0 && x < 0)));
        const bool has_face = std::abs(x) + std::abs(y) + std::abs(z) == 1;
        if (is_before && (has_face || touching == Touching::corners)) before.push_back({x, y, z});
      }
  return before;
}

/// Goes over cells in the order of memory, slice by slice.
template <class Use>
void for_each_cell(const Grid& grid, std::string_view stage, Progress& progress, const Use& use) {
  progress.begin(stage, static_cast<std::uint64_t>(grid.dims[2]), "slices");
  std::size_t index = 0;
  for (std::int64_t k = 0; k < grid.dims[2]; ++k) {
    progress.throw_if_cancelled();
    for (std::int64_t j = 0; j < grid.dims[1]; ++j)
      for (std::int64_t i = 0; i < grid.dims[0]; ++i, ++index) use(std::array{i, j, k}, index);
    progress.update(static_cast<std::uint64_t>(k) + 1);
  }
}

/// Labels cells so that those of a set touch, directly or over others.
template <class Real>
void label_cells(std::span<const Real> values, const Grid& grid, Touching touching,
                 LevelRegions& found, LabelSets& sets, Progress& progress) {
  const std::vector<std::array<int, 3>> before = touching_before(touching);
  for_each_cell(
      grid, "regions", progress, [&](std::array<std::int64_t, 3> cell, std::size_t index) {
        const auto value = static_cast<double>(values[index]);
        if (!std::isfinite(value))
          throw Error(ErrorKind::input, fmt::format("a value of {} cannot be a density", value),
                      {{}, "check the program that wrote it"});
        if (value < found.level) return;
        std::int32_t& label = found.labels[index];
        for (const auto& [x, y, z] : before) {
          const std::array<std::int64_t, 3> other{cell[0] + x, cell[1] + y, cell[2] + z};
          if (other[0] < 0 || other[0] >= grid.dims[0] || other[1] < 0 ||
              other[1] >= grid.dims[1] || other[2] < 0)
            continue;
          const auto at = (other[2] * grid.dims[1] + other[1]) * grid.dims[0] + other[0];
          const std::int32_t neighbour = found.labels[static_cast<std::size_t>(at)];
          if (neighbour == kNoRegion) continue;
          if (label == kNoRegion)
            label = neighbour;
          else if (label != neighbour)
            sets.join(label, neighbour);
        }
        if (label == kNoRegion) label = sets.add();
      });
}

/// Numbers the sets in the order of their first cells, in place of preliminary labels.
std::size_t number_sets(std::vector<std::int32_t>& labels, LabelSets& sets) {
  std::vector<std::int32_t> numbers(sets.size(), kNoRegion);
  std::int32_t next = 0;
  for (std::size_t label = 0; label < numbers.size(); ++label) {
    const auto root = static_cast<std::size_t>(sets.root_of(static_cast<std::int32_t>(label)));
    numbers[label] = root == label ? next++ : numbers[root];
  }
  for (std::int32_t& label : labels)
    if (label != kNoRegion) label = numbers[static_cast<std::size_t>(label)];
  return static_cast<std::size_t>(next);
}

template <class Real>
void measure(std::span<const Real> values, const Grid& grid, LevelRegions& found,
             Progress& progress) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  for (LevelRegion& region : found.regions)
    region.bounds = {{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for_each_cell(grid, "masses", progress, [&](std::array<std::int64_t, 3> cell, std::size_t index) {
    if (found.labels[index] == kNoRegion) return;
    LevelRegion& region = found.regions[static_cast<std::size_t>(found.labels[index])];
    const auto value = static_cast<double>(values[index]);
    const Vec3 centre = grid.centre(cell[0], cell[1], cell[2]);
    ++region.cells;
    region.mass += value;
    region.centroid = region.centroid + value * centre;
    for (int axis = 0; axis < 3; ++axis) {
      region.bounds.lower[axis] = std::min(region.bounds.lower[axis], centre[axis]);
      region.bounds.upper[axis] = std::max(region.bounds.upper[axis], centre[axis]);
    }
    if (value > region.peak) {
      region.peak = value;
      region.place = centre;
    }
  });
  for (LevelRegion& region : found.regions) {
    if (region.cells == 0) continue;
    region.centroid = (1 / region.mass) * region.centroid;
    region.mass *= grid.cell_volume();
    region.volume = static_cast<double>(region.cells) * grid.cell_volume();
    region.bounds = {region.bounds.lower - 0.5 * grid.spacing,
                     region.bounds.upper + 0.5 * grid.spacing};
  }
}

void sort_by_mass(LevelRegions& found) {
  std::vector<std::int32_t> order(found.regions.size()), place(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::int32_t region) {
    return found.regions[static_cast<std::size_t>(region)].mass;
  });
  std::vector<LevelRegion> sorted;
  sorted.reserve(order.size());
  for (const std::int32_t region : order) {
    place[static_cast<std::size_t>(region)] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(found.regions[static_cast<std::size_t>(region)]);
  }
  found.regions = std::move(sorted);
  for (std::int32_t& label : found.labels)
    if (label != kNoRegion) label = place[static_cast<std::size_t>(label)];
}

}  // namespace

std::int32_t label_at(std::span<const std::int32_t> labels, const Grid& grid, Vec3 world) {
  const auto cell = grid.cell_at(world);
  if (!cell) return kNoRegion;
  const auto index = ((*cell)[2] * grid.dims[1] + (*cell)[1]) * grid.dims[0] + (*cell)[0];
  return labels[static_cast<std::size_t>(index)];
}

LevelRegions regions_above(const Volume& volume, double level, Touching touching,
                           Progress& progress) {
  if (!(level > 0) || !std::isfinite(level))
    throw Error(ErrorKind::usage, fmt::format("must be above 0; got {:g}", level), {"level", {}});
  const Grid& grid = volume.grid();
  LevelRegions found{.level = level};
  found.labels.assign(static_cast<std::size_t>(grid.cells()), kNoRegion);
  LabelSets sets;
  std::visit(
      [&](auto values) {
        label_cells(values, grid, touching, found, sets, progress);
        found.regions.resize(number_sets(found.labels, sets));
        measure(values, grid, found, progress);
      },
      volume.value_span());
  sort_by_mass(found);
  return found;
}

LevelRegions regions_of_peaks(const Volume& volume, double prominence, double level,
                              Progress& progress) {
  DensityPeaks peaks = density_peaks(volume, by_prominence(prominence, volume.maximum()), progress);
  LevelRegions found{.level = level, .labels = std::move(peaks.basins)};
  found.regions.resize(peaks.peaks.size());
  std::visit(
      [&](auto values) {
        for (std::size_t cell = 0; cell < values.size(); ++cell)
          if (static_cast<double>(values[cell]) < level) found.labels[cell] = kNoRegion;
        measure(values, volume.grid(), found, progress);
      },
      volume.value_span());
  sort_by_mass(found);
  std::erase_if(found.regions, [](const LevelRegion& region) { return region.cells == 0; });
  return found;
}

}  // namespace skde
