#include "order/splat_order.hpp"

#include <vector>

#include "support/cases/random_splats.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

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
