#include "order/curve_codes.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "order/sorted_order.hpp"
#include "support/catch.hpp"

using namespace skde;

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
