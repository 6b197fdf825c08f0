#include <random>

#include "gpu/device_fixture.hpp"
#include "order/key_sorter.hpp"
#include "order/sorted_order.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("the GPU puts keys in the order of the CPU, and keeps the order of equal keys",
          "[sort]") {
  if (skipped()) return;
  const std::unique_ptr<KeySorter> sorter = gpu_key_sorter();
  CHECK_FALSE(sorter->device().empty());
  std::mt19937_64 random(5);
  const auto check = [&](std::size_t count, auto draw) {
    if (count > most_items()) return;
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t& key : keys) key = draw();
    std::vector<std::uint32_t> order(count);
    sorter->sort(keys, order);
    INFO(count << " keys");
    CHECK(order == sorted_order(keys));
  };
  for (const std::size_t count : {3'000'001, 0, 1, 2, 1000, 1'000'000}) {
    check(count, [&] { return random(); });
    check(count, [&] { return random() >> 1; });
    check(count, [&] { return std::uint64_t{9}; });
    check(count, [&] { return random() % 5 << 40; });
    check(count, [&] { return ~(random() % 1000); });
  }
}
