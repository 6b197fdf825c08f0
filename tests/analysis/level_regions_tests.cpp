#include "analysis/answers/level_regions.hpp"

#include <cmath>
#include <map>
#include <queue>
#include <random>

#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using skde::test::silent;
using skde::test::thrown_error;

namespace {

/// Labels cells by a flood from each that has none yet, in the order of memory.
std::vector<int> flooded(const std::vector<double>& values, const Grid& grid, double level,
                         bool corners) {
  std::vector<int> labels(values.size(), -1);
  int next = 0;
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>(x + grid.dims[0] * (y + grid.dims[1] * z));
  };
  for (std::int64_t start = 0; start < grid.cells(); ++start) {
    if (labels[static_cast<std::size_t>(start)] >= 0 ||
        values[static_cast<std::size_t>(start)] < level)
      continue;
    std::queue<std::array<std::int64_t, 3>> open;
    open.push({start % grid.dims[0], start / grid.dims[0] % grid.dims[1],
               start / grid.dims[0] / grid.dims[1]});
    labels[static_cast<std::size_t>(start)] = next;
    while (!open.empty()) {
      const auto [x, y, z] = open.front();
      open.pop();
      for (int d = 0; d < 27; ++d) {
        const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        if (!corners && std::abs(dx) + std::abs(dy) + std::abs(dz) != 1) continue;
        const std::int64_t i = x + dx, j = y + dy, k = z + dz;
        if (i < 0 || j < 0 || k < 0 || i >= grid.dims[0] || j >= grid.dims[1] ||
            k >= grid.dims[2] || labels[at(i, j, k)] >= 0 || values[at(i, j, k)] < level)
          continue;
        labels[at(i, j, k)] = next;
        open.push({i, j, k});
      }
    }
    ++next;
  }
  return labels;
}

}  // namespace

TEST_CASE("regions above a level are those of a flood", "[regions]") {
  std::mt19937 random(48);
  std::uniform_int_distribution<std::int64_t> side(1, 7);
  std::uniform_real_distribution<double> value(0, 1);
  for (int round = 0; round < 200; ++round) {
    const Grid grid{{1e6, -3, 0.5}, {0.5, 2, 1}, {side(random), side(random), side(random)}};
    std::vector<double> values(static_cast<std::size_t>(grid.cells()));
    for (double& v : values) v = value(random);
    const double level = 0.2 + 0.6 * value(random);
    const bool corners = round % 2 == 1;
    const LevelRegions found = regions_above(Volume(grid, values), level,
                                             corners ? Touching::corners : Touching::faces, silent);
    const std::vector<int> expected = flooded(values, grid, level, corners);
    std::map<int, std::int32_t> same;  // flooded to found
    std::map<int, double> masses;
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
      REQUIRE((expected[cell] < 0) == (found.labels[cell] < 0));
      if (expected[cell] < 0) continue;
      REQUIRE(same.try_emplace(expected[cell], found.labels[cell]).first->second ==
              found.labels[cell]);
      masses[expected[cell]] += values[cell];  // a cell's volume is 1
    }
    REQUIRE(same.size() == found.regions.size());
    for (const auto& [label, mass] : masses)
      REQUIRE(std::abs(found.regions[static_cast<std::size_t>(same[label])].mass - mass) < 1e-12);
    for (std::size_t k = 1; k < found.regions.size(); ++k)
      REQUIRE(found.regions[k - 1].mass >= found.regions[k].mass);
  }
}

TEST_CASE("a region says where it is", "[regions]") {
  const Grid grid{{10, 20, 30}, {1, 2, 3}, {4, 3, 2}};
  Volume volume(grid, Precision::f32);
  const auto values = volume.values<float>();
  values[5] = 1;  // (1, 1, 0)
  values[6] = 3;  // (2, 1, 0)
  const LevelRegions found = regions_above(volume, 0.5, Touching::faces, silent);
  REQUIRE(found.regions.size() == 1);
  const LevelRegion& region = found.regions[0];
  CHECK(region.cells == 2);
  CHECK(region.volume == 12);
  CHECK(region.mass == 24);
  CHECK(region.centroid == Vec3{12.25, 23, 31.5});
  CHECK(region.bounds == Box{{11, 22, 30}, {13, 24, 33}});
  CHECK(region.place == Vec3{12.5, 23, 31.5});
  CHECK(region.peak == 3);
  CHECK(label_at(found.labels, grid, {12.9, 22.1, 32}) == 0);
  CHECK(label_at(found.labels, grid, {13.1, 22.1, 32}) == -1);
  CHECK(label_at(found.labels, grid, {0, 0, 0}) == -1);
}

TEST_CASE("levels and values that make no regions are refused", "[regions]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {2, 1, 1}};
  const auto refused = [&](std::vector<double> values, double level) {
    return thrown_error(
               [&] { regions_above(Volume(grid, values), level, Touching::faces, silent); })
        .kind();
  };
  CHECK(refused({1, 2}, 0) == ErrorKind::usage);
  CHECK(refused({1, 2}, std::nan("")) == ErrorKind::usage);
  CHECK(refused({1, std::nan("")}, 1) == ErrorKind::input);
  CHECK(regions_above(Volume(grid, std::vector<double>{1, 2}), 3, Touching::faces, silent)
            .regions.empty());
}
