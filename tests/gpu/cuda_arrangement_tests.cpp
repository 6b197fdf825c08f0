#include <algorithm>
#include <numeric>
#include <vector>

#include "gpu/device_fixture.hpp"
#include "order/arrangement.hpp"
#include "order/organised_rows.hpp"
#include "support/cases/uniform_values.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

Arrangement arranged_on(ArrangementDevice device, const std::vector<float>& values,
                        std::size_t columns, std::uint64_t seed = 1) {
  Arrangement found = arranged({values, columns, seed, device, 0}, silent);
  CHECK(found.on_gpu == (device == ArrangementDevice::gpu && values.size() / columns > 2));
  return found;
}

}  // namespace

TEST_CASE("CUDA: an arrangement has each item in one cell, whatever their number", "[order]") {
  if (skipped()) return;
  for (const std::size_t items : {1, 2, 3, 4, 5, 7, 13, 16, 97, 101, 1009, 4096, 16383, 66000})
    for (const std::size_t columns : {1, 3, 5, 8, 14, 17}) {
      if (items > most_items()) continue;
      INFO(items << " items of " << columns << " columns");
      const Arrangement found =
          arranged_on(ArrangementDevice::gpu, uniform_values(items, columns), columns);
      REQUIRE(found.item_at.size() == found.width * found.height);
      const auto end = found.item_at.begin() + static_cast<std::ptrdiff_t>(items);
      std::vector<std::uint32_t> all(items);
      std::iota(all.begin(), all.end(), 0u);
      std::vector<std::uint32_t> there(found.item_at.begin(), end);
      std::ranges::sort(there);
      REQUIRE(there == all);
      REQUIRE(std::all_of(end, found.item_at.end(), [](auto item) { return item == kNoItem; }));
    }
}

TEST_CASE("CUDA: an arrangement is as good as the CPU's, and repeats", "[order]") {
  if (skipped()) return;
  for (const std::size_t columns : {3, 8, 14})
    for (const std::size_t side : {37, 128}) {
      if (side * side > most_items()) continue;
      INFO(side << " x " << side << " cells of " << columns << " columns");
      const std::vector<float> values = uniform_values(side * side - side / 3, columns);
      const auto quality = [&](const Arrangement& found) {
        return arrangement_quality(values, columns, found.item_at, found.width);
      };
      const Arrangement found = arranged_on(ArrangementDevice::gpu, values, columns),
                        again = arranged_on(ArrangementDevice::gpu, values, columns),
                        other = arranged_on(ArrangementDevice::gpu, values, columns, 2),
                        cpu = arranged_on(ArrangementDevice::cpu, values, columns);
      CHECK(found.item_at == again.item_at);
      CHECK(found.item_at != other.item_at);
      CHECK(quality(found).variance == Approx(quality(cpu).variance).epsilon(0.05));
      CHECK(quality(found).distance == Approx(quality(cpu).distance).epsilon(0.02));
    }
}

TEST_CASE("CUDA: equal values stay in place, and two kinds part", "[order]") {
  if (skipped()) return;
  const std::vector<float> equal(3 * std::min<std::size_t>(5000, most_items()), 0.5f);
  CHECK(arranged_on(ArrangementDevice::gpu, equal, 3).item_at ==
        arranged_on(ArrangementDevice::cpu, equal, 3).item_at);
  std::vector<float> steps(64 * 64);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<float>(i % 2);
  const auto quality = [&](const Arrangement& found) {
    return arrangement_quality(steps, 1, found.item_at, found.width).distance;
  };
  CHECK(quality(arranged_on(ArrangementDevice::gpu, steps, 1)) < 0.1);
  CHECK(quality(arranged_on(ArrangementDevice::cpu, steps, 1)) < 0.1);
}
