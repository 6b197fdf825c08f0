#include "order/sorted_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "order/curve_codes.hpp"
#include "order/splat_order.hpp"
#include "support/cases/random_splats.hpp"
#include "support/catch.hpp"
#include "support/references/curve_reference.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

using Keys = std::vector<std::uint64_t>;

std::vector<std::uint32_t> stable_order(const Keys& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

template <class Draw>
Keys keys_of(std::size_t count, Draw draw) {
  Keys keys(count);
  for (std::uint64_t& key : keys) key = draw();
  return keys;
}

}  // namespace

TEST_CASE("the order of keys is that of a stable sort, whatever the keys") {
  std::mt19937_64 random(7);
  const auto some = GENERATE(std::size_t{0}, 1u, 2u, 24u, 25u, 1000u, 300'000u);
  const auto check = [&](const Keys& keys) { REQUIRE(sorted_order(keys) == stable_order(keys)); };
  check(keys_of(some, [&] { return random(); }));
  check(keys_of(some, [&] { return std::uint64_t{42}; }));
  check(keys_of(some, [&] { return random() % 3; }));
  check(keys_of(some, [&] { return random() << 61; }));
  check(keys_of(some, [&] { return ~std::uint64_t{0} - random() % 1000; }));
  // Half of the keys have the same topmost bits, of these again a half, and so on.
  check(keys_of(some, [&] { return random() >> random() % 64; }));
  // All but one key agree in all but the lowest bits.
  Keys near = keys_of(some, [&] { return random() % 100'000; });
  if (!near.empty()) near.back() = ~std::uint64_t{0};
  check(near);
  Keys sorted = keys_of(some, [&] { return random(); });
  std::ranges::sort(sorted);
  check(sorted);
  std::ranges::reverse(sorted);
  check(sorted);
}

TEST_CASE("points are ordered along curves as by codes from their definitions") {
  const auto curve = GENERATE(Curve::morton, Curve::hilbert);
  std::vector<double> xyz;
  SECTION("a cloud of clusters") { xyz = make_five_gaussians(3, 0, 20'000).xyz; }
  SECTION("points in a plane, far from zero") {
    xyz = make_uniform_cloud(5, 0, 5'000).xyz;
    for (std::size_t i = 0; i < xyz.size(); i += 3) {
      xyz[i] = 4e6 + xyz[i];
      xyz[i + 1] = -1e-3;
    }
  }
  SECTION("points on the faces of cells, in a box whose edges no double divides evenly") {
    for (int i = 0; i < 6000; ++i) xyz.push_back(0.1 * (i * 37 % 72));
  }
  SECTION("equal points") { xyz.assign(3 * 777, 0.25); }
  SECTION("one point") { xyz = {1, 2, 3}; }
  const Box box = box_of(xyz);
  const Keys expected = test::reference_codes(xyz, box, curve == Curve::hilbert);
  CHECK(curve_codes(xyz, box, curve) == expected);
  CHECK(sorted_order(curve_codes(xyz, box, curve)) == stable_order(expected));
}

TEST_CASE("a box wider than the largest double has a curve, too") {
  const std::vector<double> xyz{1.5e308, 0, 0, -1.5e308, 0, 0, 1e307, 0, 0, -1e307, 0, 0};
  for (const Curve curve : {Curve::morton, Curve::hilbert})
    CHECK(sorted_order(curve_codes(xyz, box_of(xyz), curve)) ==
          std::vector<std::uint32_t>{1, 3, 2, 0});
}

TEST_CASE("points without a place are refused with their row") {
  for (const double far : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    CHECK_THROWS_WITH(box_of(std::vector<double>{0, 0, 0, 1, far, 1}),
                      Catch::Matchers::ContainsSubstring("row 1 (from 0)") &&
                          Catch::Matchers::ContainsSubstring("not finite"));
}

namespace {

/// The centres of the 16^3 cells at the lower corner of a box of 2^21 cells a side, and that box.
std::vector<double> corner_cells() {
  std::vector<double> xyz;
  for (int z = 0; z < 16; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) xyz.insert(xyz.end(), {x + 0.5, y + 0.5, z + 0.5});
  return xyz;
}
const Box kCellBox{{0, 0, 0}, {1 << kCurveBits, 1 << kCurveBits, 1 << kCurveBits}};

}  // namespace

TEST_CASE("consecutive cells along the Hilbert curve are neighbours") {
  const std::vector<double> xyz = corner_cells();
  const auto codes = curve_codes(xyz, kCellBox, Curve::hilbert);
  const auto order = sorted_order(codes);
  for (std::size_t i = 0; i < order.size(); ++i) {
    REQUIRE(codes[order[i]] == i);  // the curve fills the corner before it leaves it
    if (i == 0) continue;
    double steps = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      steps += std::abs(xyz[3 * order[i] + axis] - xyz[3 * order[i - 1] + axis]);
    REQUIRE(steps == 1);
  }
}

TEST_CASE("Morton codes interleave the bits of cells, z first") {
  const std::vector<double> xyz{0.5, 0.5, 0.5, 1.5, 0.5, 0.5, 0.5, 1.5,
                                0.5, 0.5, 0.5, 1.5, 2.5, 1.5, 3.5};
  CHECK(curve_codes(xyz, kCellBox, Curve::morton) ==
        std::vector<std::uint64_t>{0, 1, 2, 4, 0b101110});
}

TEST_CASE("splats are organised by the signs of their coordinates, too") {
  for (const std::size_t axis : {0, 1, 2}) {
    io::SplatCloud splats = random_splats(900, 0, 4, 0.5);
    std::vector<bool> below(splats.size());
    for (std::size_t i = 0; i < splats.size(); ++i) {  // clumps at a and at -a, in turn
      below[i] = i % 2 == 1;
      splats.xyz[3 * i + axis] += below[i] ? -20 : 20;
    }
    const std::vector<std::uint32_t> rows = splat_order(splats, SplatOrder::organised, silent);
    REQUIRE(rows.size() == splats.size());
    std::size_t apart = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) apart += below[rows[i]] != below[rows[i - 1]];
    CHECK(apart < 100);  // a border through 30 rows of 30 cells is crossed about twice in each
  }
}
