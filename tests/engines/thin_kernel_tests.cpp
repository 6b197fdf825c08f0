#include <cmath>
#include <random>
#include <vector>

#include "engines/cpu/tile/tile_sums.hpp"
#include "support/cases/thin_kernels.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/engine_contract.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

// Needles and plates that are not aligned with the grid, compared with values computed in their own
// axes.

namespace {

/// A case with cells of edge 1, and samples around the grid whose kernels run through it from near
/// and far.
DensityCase case_of(const ThinKernel& thin) {
  DensityCase density_case{"thin", {}, thin.H(), Grid{{-12, -11, -10}, {1, 1, 1}, {24, 22, 20}}};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(-0.9, 0.9), inside(-8, 8);
  for (int i = 0; i < 40; ++i) {
    const Vec3 far = thin.place({anywhere(random), anywhere(random), anywhere(random)});
    for (int axis = 0; axis < 3; ++axis)
      density_case.cloud.xyz.push_back(inside(random) + (i % 2 ? far[axis] : 0));
  }
  return density_case;
}

std::vector<double> expected_values(const DensityCase& density_case, const ThinKernel& thin) {
  const Grid& grid = density_case.grid;
  const Samples& cloud = density_case.cloud;
  const double amplitude = KernelFunction::epanechnikov->constant /
                           (thin.radii.x * thin.radii.y * thin.radii.z) /
                           static_cast<double>(cloud.size());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(grid.cells()));
  for (const auto& [i, j, k] : cells_of(grid.dims)) {
    long double sum = 0;
    for (std::size_t s = 0; s < cloud.size(); ++s)
      sum += std::max(0.0L, 1 - thin.q(cloud.view().point(s), grid.centre(i, j, k)));
    values.push_back(amplitude * static_cast<double>(sum));
  }
  return values;
}

}  // namespace

TEST_CASE("needles and plates are as near to their values as is offered", "[thin]") {
  for (const double ratio : kThinRatios)
    for (const ThinKernel& thin : thin_kernels(4, ratio)) {
      const DensityCase density_case = case_of(thin);
      const std::vector<double> expected = expected_values(density_case, thin);
      for (const EngineEntry& entry : engine_table())
        for (const Precision precision : {Precision::f32, Precision::f64}) {
          if (entry.traits.device != Device::cpu) continue;
          EngineSetup setup;
          setup.precision = precision;
          const KernelFunction function = KernelFunction::epanechnikov;
          const Offer offer = make_engine(entry.traits.name, setup)
                                  ->offer(problem_of(density_case, function, precision),
                                          facts_of(density_case.cloud.view()));
          if (!offer.serves()) {
            CHECK((entry.traits.approximates || !entry.traits.serves_grids));
            continue;
          }
          INFO(entry.traits.name << ' ' << word_of(kPrecisions, precision) << ", axes "
                                 << thin.radii.x << ", " << thin.radii.y << ", " << thin.radii.z);
          CHECK(relative_distance(compute(entry.traits.name, setup, density_case, function),
                                  expected) <= offer.error);
        }
    }
}

TEST_CASE("offers of kernels along the axes do not depend on how unlike these are", "[thin]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {8, 8, 8}};
  for (const EngineEntry& entry : engine_table()) {
    const EngineTraits& traits = entry.traits;
    if (traits.device != Device::cpu || traits.approximates || !traits.serves_grids) continue;
    const Problem problem{{KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1e8, 1e-8)},
                          grid,
                          1,
                          0,
                          Precision::f64};
    CHECK(make_engine(entry.traits.name, {})->offer(problem, {10, false, false}).error ==
          entry.traits.error_f64);
  }
}

// The sums of one tile.

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
