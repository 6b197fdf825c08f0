#include "order/arrangement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/cloud/counter_random.hpp"
#include "core/report/error.hpp"
#include "order/arrangement_steps.hpp"
#include "order/curve_codes.hpp"
#include "order/organised_rows.hpp"
#include "order/sorted_order.hpp"
#include "support/cases/uniform_values.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

Arrangement arranged_on_cpu(const std::vector<float>& values, std::size_t columns,
                            std::uint64_t seed = 1, int threads = 0) {
  return arranged({values, columns, seed, ArrangementDevice::cpu, threads}, silent);
}

void check_bijection(const Arrangement& found, std::size_t items) {
  REQUIRE(found.item_at.size() == found.width * found.height);
  REQUIRE(found.width == static_cast<std::size_t>(std::ceil(std::sqrt(items))));
  REQUIRE(found.item_at.size() >= items);
  REQUIRE(found.item_at.size() < items + std::max<std::size_t>(found.width, 1));
  std::vector<std::uint32_t> all(items);
  std::iota(all.begin(), all.end(), 0u);
  REQUIRE(std::is_permutation(all.begin(), all.end(), found.item_at.begin(),
                              found.item_at.begin() + static_cast<std::ptrdiff_t>(items)));
  REQUIRE(std::all_of(found.item_at.begin() + static_cast<std::ptrdiff_t>(items),
                      found.item_at.end(), [](std::uint32_t item) { return item == kNoItem; }));
}

std::vector<std::uint32_t> morton_order(const std::vector<float>& xyz) {
  const std::vector<double> places(xyz.begin(), xyz.end());
  return sorted_order(curve_codes(places, box_of(places), Curve::morton));
}

}  // namespace

TEST_CASE("an arrangement has each item in one cell, whatever their number") {
  for (const std::size_t items : {0, 1, 2, 3, 4, 5, 7, 12, 13, 16, 25, 97, 100, 101, 1009, 4093}) {
    INFO(items << " items");
    for (const std::size_t columns : {1, 3, 5})
      check_bijection(arranged_on_cpu(uniform_values(items, columns), columns), items);
  }
}

TEST_CASE("an arrangement of equal or flat values is a bijection") {
  for (const std::size_t items : {4, 31, 400}) {
    check_bijection(arranged_on_cpu(std::vector<float>(items * 3, 0.25f), 3), items);
    std::vector<float> flat = uniform_values(items, 3);
    for (std::size_t i = 0; i < items; ++i) flat[3 * i + 1] = 1e30f;
    check_bijection(arranged_on_cpu(flat, 3), items);
    std::vector<float> two(items);
    for (std::size_t i = 0; i < items; ++i) two[i] = i % 2 == 0 ? -3e38f : 3e38f;
    check_bijection(arranged_on_cpu(two, 1), items);
  }
}

TEST_CASE("values that are not finite are not arranged") {
  std::vector<float> values = uniform_values(20, 3);
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    values[3 * 11 + 2] = wrong;
    try {
      arranged_on_cpu(values, 3);
      FAIL("it was arranged");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::input);
      CHECK_THAT(error.problem(), ContainsSubstring("row 11 (from 0)"));
    }
  }
}

TEST_CASE("the seed alone decides an arrangement, not the threads") {
  const std::vector<float> values = uniform_values(18000, 5);  // worth three threads
  const Arrangement found = arranged_on_cpu(values, 5, 1, 1);
  CHECK(arranged_on_cpu(values, 5, 1, 2).item_at == found.item_at);
  CHECK(arranged_on_cpu(values, 5, 1, 3).item_at == found.item_at);
  CHECK(arranged_on_cpu(values, 5, 2, 2).item_at != found.item_at);
}

TEST_CASE("neighbours of an arrangement are more alike than in Morton order") {
  for (const std::size_t items : {std::size_t{400}, std::size_t{3969}, std::size_t{5000}}) {
    INFO(items << " items");
    const std::vector<float> values = uniform_values(items, 3);
    const Arrangement found = arranged_on_cpu(values, 3);
    std::vector<std::uint32_t> sorted = morton_order(values), given(items);
    std::iota(given.begin(), given.end(), 0u);
    const auto of = [&](const std::vector<std::uint32_t>& order) {
      return arrangement_quality(values, 3, order, found.width);
    };
    const ArrangementQuality after = of(found.item_at), by_curve = of(sorted), before = of(given);
    CHECK(after.distance < 0.6 * by_curve.distance);
    CHECK(after.variance < 0.4 * by_curve.variance);
    CHECK(by_curve.distance < before.distance);
  }
}

TEST_CASE("the quality of an arrangement is that of its neighbours") {
  // Rows 0 1 and 4 -: |dx| = 1, |dy| = 4.
  const std::vector<float> values{4, 0, 1};
  const std::vector<std::uint32_t> item_at{1, 2, 0, kNoItem};
  const ArrangementQuality few = arrangement_quality(values, 1, item_at, 2);
  CHECK(few.distance == 2.5);
  CHECK(few.variance == 0);
  // Rows 0 1 4 and 2 2 2: |dx| = 1 3 0 0 of variance 1.5, |dy| = 2 1 2 of variance 2 / 9.
  const std::vector<float> more{0, 1, 4, 2, 2, 2};
  const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4, 5};
  const ArrangementQuality quality = arrangement_quality(more, 1, rows, 3);
  CHECK(quality.distance == Approx(9.0 / 7));
  CHECK(quality.variance == Approx((1.5 + 2.0 / 9) / 2));
  CHECK(arrangement_quality({}, 3, {}, 0).distance == 0);
}

TEST_CASE("the groups of a pass are parts of the grid that do not meet") {
  for (const auto& [width, height] : {std::pair(2u, 2u), {3u, 2u}, {17u, 16u}, {65u, 64u}}) {
    GridItems grid;
    grid.width = width;
    grid.height = height;
    grid.items = width * height;
    for (const ArrangementStep& step : arrangement_steps(grid, 3))
      for (const GroupPass& pass : step.passes) {
        std::vector<int> met(std::size_t{width} * height);
        for (std::uint32_t group = 0; group < pass.groups(); ++group) {
          std::uint32_t cells[4];
          cells_of_group(pass, group, cells);
          for (const std::uint32_t cell : cells) ++met.at(cell);
        }
        REQUIRE(std::ranges::max(met) == 1);
        REQUIRE(std::ranges::count(met, 1) == std::ptrdiff_t{4} * pass.groups());
      }
  }
}

TEST_CASE("four items take the best of their 24 permutations") {
  Draws draws = CounterRandom(3, 0).at(0);
  for (int trial = 0; trial < 2000; ++trial) {
    float likeness[4][4];
    for (auto& row : likeness)
      for (float& value : row) value = static_cast<float>(std::floor(draws.uniform(0, 9)));
    std::vector<std::uint32_t> order{0, 1, 2, 3};
    float most = -1;
    do {
      float sum = 0;
      for (std::size_t cell = 0; cell < 4; ++cell) sum += likeness[order[cell]][cell];
      most = std::max(most, sum);
    } while (std::ranges::next_permutation(order).found);
    const std::uint32_t best = best_permutation(likeness);
    float sum = 0;
    std::uint32_t seen = 0;
    for (std::uint32_t cell = 0; cell < 4; ++cell) {
      sum += likeness[item_for(best, cell)][cell];
      seen |= 1u << item_for(best, cell);
    }
    REQUIRE(seen == 0b1111);
    REQUIRE(sum == most);
    float in_place = 0;
    for (std::size_t k = 0; k < 4; ++k) in_place += likeness[k][k];
    if (in_place == most) REQUIRE(best == kAllInPlace);
  }
}
