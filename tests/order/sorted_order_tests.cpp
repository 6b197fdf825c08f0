#include "order/sorted_order.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "core/cloud/synthetic_cloud.hpp"
#include "order/curve_codes.hpp"
#include "support/catch.hpp"
#include "support/references/curve_reference.hpp"

using namespace skde;

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
