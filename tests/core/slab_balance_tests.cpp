#include "core/space/slab_balance.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <random>

using namespace skde;

namespace {

/// The work of each slab by its definition: pairs of samples and slices, and cells.
std::vector<double> work_of(const SliceWork& work, const std::vector<std::int64_t>& cuts) {
  std::vector<double> sums;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    double sum = 0;
    for (std::int64_t z = cuts[i]; z < cuts[i + 1]; ++z) {
      sum += 0.5 * static_cast<double>(work.slice_cells);
      for (std::size_t at = 0; at < work.samples.size(); ++at) {
        const double height = (static_cast<double>(at) - static_cast<double>(z)) / work.reach;
        sum += static_cast<double>(work.samples[at]) * work.widest *
               std::max(0.0, 1 - height * height);
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

TEST_CASE("slabs have equal work where samples allow it", "[slabs]") {
  std::mt19937 random(5);
  for (const int slabs : {1, 2, 3, 4, 8}) {
    std::vector<std::int64_t> samples(512);
    std::normal_distribution<double> place(230, 120);
    for (int i = 0; i < 200000; ++i)
      ++samples[static_cast<std::size_t>(std::clamp(place(random), 0.0, 511.0))];
    const SliceWork work{samples, 512 * 512, 6, 113};
    const std::vector<std::int64_t> cuts = balanced_cuts(work, slabs);
    REQUIRE(cuts.size() == static_cast<std::size_t>(slabs) + 1);
    CHECK((cuts.front() == 0 && cuts.back() == 512));
    CHECK(std::ranges::is_sorted(cuts));
    const std::vector<double> sums = work_of(work, cuts);
    double total = 0;
    for (const double sum : sums) total += sum;
    CHECK(*std::ranges::max_element(sums) < 1.1 * total / slabs);
  }
}

TEST_CASE("no slab is more than twice its share, however samples lie", "[slabs]") {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> samples(1 + random() % 70);
    for (int i = 0; i < 3; ++i) samples[random() % samples.size()] += random() % 1000000;
    const int slabs = 1 + static_cast<int>(random() % 12);
    const std::vector<std::int64_t> cuts =
        balanced_cuts({samples, 100, 0.2 + static_cast<double>(random() % 30), 50}, slabs);
    const auto slices = static_cast<std::int64_t>(samples.size());
    REQUIRE(cuts.size() == static_cast<std::size_t>(slabs) + 1);
    CHECK((cuts.front() == 0 && cuts.back() == slices));
    for (int i = 0; i < slabs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(cuts[at] <= cuts[at + 1]);
      CHECK(cuts[at + 1] - cuts[at] <= (2 * slices + slabs - 1) / slabs);
    }
  }
}

TEST_CASE("the slab with the most work is told", "[slabs]") {
  const std::vector<std::int64_t> even(40, 1000);
  const SliceWork spread{even, 100, 1, 50};
  CHECK(largest_share(spread, std::vector<std::int64_t>{0, 10, 20, 30, 40}) ==
        Approx(0.25).epsilon(0.02));
  CHECK(largest_share(spread, std::vector<std::int64_t>{0, 30, 40}) == Approx(0.75).epsilon(0.02));
  std::vector<std::int64_t> hot(40);
  hot[17] = 1000000;
  CHECK(largest_share({hot, 100, 0.4, 50}, balanced_cuts({hot, 100, 0.4, 50}, 4)) > 0.99);
  CHECK(largest_share(spread, std::vector<std::int64_t>{0, 40}) == 1);
}
