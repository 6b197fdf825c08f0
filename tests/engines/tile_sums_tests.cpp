// The sums of one tile.

#include "engines/cpu/tile/tile_sums.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <vector>

using namespace skde;

TEST_CASE("a tile loses no light kernels beside a heavy one, however many they are", "[tile]") {
  // Each is below half an ulp of the heavy one; all together are a thousand ulps.
  constexpr float kLight = 0x1p-25F;
  constexpr std::size_t kCount = 4096;
  const Kernel kernel{KernelFunction::uniform, Symmetric3::diagonal(1, 1, 1)};
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {3, 3, 3}};
  const auto ellipsoid = kernel.ellipsoid(grid).cast<float>();
  std::vector<SliceSample<float>> samples(1 + kCount, {{1, 1, 1}, {0, 0, 0}, kLight});
  samples.front().weight = 1;
  TileSums<float> tile;
  tile.begin({{IndexRange{0, 3}, IndexRange{0, 3}, IndexRange{0, 3}}});
  tile.add(samples, nullptr, ellipsoid, kernel);
  std::vector<float> values(27, 0.0F);
  tile.move_to(values.data(), 3, 3);
  const double expected = 1 + kCount * static_cast<double>(kLight);
  // The loss of the first few light kernels; rounding the sum to float comes on top.
  const double lost = (TileSums<float>::kMostKernels - 1) * static_cast<double>(kLight);
  CHECK(lost < 1e-6);
  CHECK(std::abs(static_cast<double>(values[13]) - expected) <= lost + 0x1p-24);
  CHECK(values[0] == 0);
}
