// Samples with per-sample bandwidth factors and shapes on GPUs, and kernels far wider than the
// grid.

#include <algorithm>
#include <cmath>

#include "gpu/device_fixture.hpp"
#include "support/cases/shaped_cases.hpp"
#include "support/catch.hpp"
#include "support/shaped_contract.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("CUDA: kernels of samples' own widths and shapes in random cases", "[shapes]") {
  if (skipped()) return;
  constexpr std::uint64_t kSeeds = 200;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) check_shaped_case("cuda-tile", seed);
}

TEST_CASE("CUDA: means over cells are those of the CPU", "[shapes]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < 80; ++seed) check_mean_case("cuda-tile", seed);
}

TEST_CASE("CUDA: tiles of shapes are the same bits on every run", "[shapes]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const ShapedCase shaped =
        random_shaped_case(seed, seed % 2 == 0 ? ShapeForm::widths : ShapeForm::shapes);
    const Problem problem = shaped.problem(KernelFunction::gaussian, Precision::f32);
    const std::vector<double> once = density_of("cuda-tile", problem, shaped.cloud.view());
    for (int again = 0; again < 5; ++again)
      CHECK(density_of("cuda-tile", problem, shaped.cloud.view()) == once);
  }
}

TEST_CASE("CUDA: tiles keep their promise in 200 random cases of one shape", "[contract]") {
  if (skipped()) return;
  constexpr std::uint64_t kSeeds = 200;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const DensityCase density_case = random_case(seed);
    const Reference reference = make_reference(density_case.cloud.view(), density_case.H,
                                               density_case.grid, density_case.total_weight());
    EngineSetup options;
    options.precision = seed % 2 == 0 ? Precision::f32 : Precision::f64;
    const ContractCount count =
        check_accuracy(engine_entry("cuda-tile").traits, options, density_case, reference);
    CHECK(count.refused == 0);
  }
}

TEST_CASE("CUDA: tiles shared by many warps add up", "[contract]") {
  if (skipped()) return;
  // So many samples at one place that several warps share its tiles; compared with a single kernel.
  constexpr std::size_t kSamples = 300000;
  DensityCase pile{"pile", {}, Symmetric3::diagonal(9, 7, 8), {{0, 0, 0}, {1, 1, 1}, {40, 24, 24}}};
  for (std::size_t i = 0; i < kSamples; ++i)
    pile.cloud.xyz.insert(pile.cloud.xyz.end(), {11.3, 9.8, 12.1});
  DensityCase one = pile;
  one.cloud.xyz.resize(3);
  const bool shaped = GENERATE(false, true);
  const KernelFunction function = GENERATE(KernelFunction::biweight, KernelFunction::gaussian);
  CAPTURE(shaped, function->name);
  for (std::size_t i = 0; shaped && i < kSamples; ++i)
    pile.cloud.shapes.insert(pile.cloud.shapes.end(), {9, 0, 0, 7, 0, 8});
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Problem problem;
    problem.kernel = {function, pile.H};
    problem.target = pile.grid;
    problem.precision = precision;
    const std::vector<double> single = density_of("cuda-tile", problem, one.cloud.view());
    problem.total_weight = static_cast<double>(kSamples);
    const std::vector<double> many = density_of("cuda-tile", problem, pile.cloud.view());
    REQUIRE(many.size() == single.size());
    const double peak = *std::ranges::max_element(single);
    double worst = 0;
    for (std::size_t i = 0; i < many.size(); ++i)
      worst = std::max(worst, std::abs(many[i] - single[i]));
    CHECK(peak > 0);
    CHECK(worst <= (precision == Precision::f32 ? 2e-6 : 1e-12) * peak);
    CHECK(density_of("cuda-tile", problem, pile.cloud.view()) == many);
  }
}

TEST_CASE("CUDA: a small box deep inside wide kernels is as dense as they are", "[contract]") {
  if (skipped()) return;
  for (const double side : {2e-6, 2e-9, 2e-12})
    for (const Vec3 at : {Vec3{0, 0, 0}, Vec3{0.3, -0.2, 0.4}, Vec3{-1.1, 0.6, 0.1}}) {
      const double cell = side / 128;
      DensityCase density_case{"deep", {}, Symmetric3{2.25, 0.3, -0.2, 1.9, 0.25, 2.1}, {}};
      density_case.grid = {{at.x, at.y, at.z}, {cell, cell, cell}, {128, 6, 5}};
      density_case.cloud.xyz = {0.1, 0.05, -0.02, -0.4, 0.2, 0.1, 0.01, 0.3, 0.2};
      INFO("box of " << side << " at " << at.x);
      const Reference reference = make_reference(density_case.cloud.view(), density_case.H,
                                                 density_case.grid, density_case.total_weight());
      for_each_cuda_engine([&](const EngineTraits& traits, const EngineSetup& options) {
        // Fixed point cannot represent these sums.
        if (traits.name == "cuda-span") {
          CHECK(!serves(traits.name, options, density_case, KernelFunction::epanechnikov));
          return;
        }
        const ContractCount count = check_accuracy(traits, options, density_case, reference);
        if (!traits.approximates) CHECK(count.refused == 0);
      });
    }
}
