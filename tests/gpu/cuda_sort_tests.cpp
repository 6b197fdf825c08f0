#include <algorithm>
#include <cstdint>

#include "bench/sort/sorters.hpp"
#include "gpu/device_fixture.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::bench;
using namespace skde::test;

TEST_CASE("every CUDA sorter sorts all that it is given", "[sort]") {
  if (skipped()) return;
  constexpr std::uint64_t kMostTransposed = 4096;  // N passes take long
  const auto most_transposed = std::min<std::uint64_t>(kMostTransposed, most_items() / 32);
  int checked = 0, left_out = 0;
  for (const Sorter& sorter : sorters()) {
    if (sorter.device != Device::cuda) continue;
    for (const auto& [type_name, type] : kSortedTypes)
      for (const auto& [pattern_name, pattern] : kKeyPatterns)
        for (const std::uint64_t count :
             {1, 2, 31, 32, 33, 1000, 4096, 4097, (1 << 16) + 1, 1 << 20}) {
          if (sorter.most_bits && count > kMostTransposed) continue;
          if (count > (sorter.most_bits ? most_transposed : most_items())) {
            ++left_out;
            continue;
          }
          INFO(sorter.name << ", " << pattern_name << " " << type_name << ", " << count);
          const SortItems items = make_sort_items({type, pattern, count, 1});
          const auto run = sorter.begin(items, 0);
          for (int k = 0; k < 2; ++k) {  // each sort has a new copy
            CHECK(run->sort() > 0);
            CHECK(fault_of(items, run->take_sorted(), sorter.stable).empty());
          }
          ++checked;
        }
  }
  CHECK(checked + left_out == 3 * 3 * (4 * 10 + 7));
}

TEST_CASE("the bitonic network in tiles sorts any number of items", "[sort]") {
  if (skipped()) return;
  for (const Sorter& sorter : sorters()) {
    if (sorter.name != "bitonic-tiles") continue;
    for (const auto& [type_name, type] : kSortedTypes)
      for (std::uint64_t count = 3; count < std::min<std::uint64_t>(most_items(), 3'000'000);
           count = 2 * count + count / 7 + 1) {
        INFO(type_name << ", " << count);
        const SortItems items = make_sort_items({type, KeyPattern::few, count, 2});
        const auto run = sorter.begin(items, 0);
        run->sort();
        CHECK(fault_of(items, run->take_sorted(), sorter.stable).empty());
      }
  }
}
