#include <array>

#include "engines/registry/registry.hpp"
#include "gpu/device_fixture.hpp"
#include "gpu/device_info.hpp"
#include "kernels/span/span_plan.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/engine_properties.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// The kernels that are continuous at their ends.
constexpr std::array kSmooth{KernelFunction::epanechnikov, KernelFunction::biweight,
                             KernelFunction::triweight};
constexpr std::uint64_t kSeeds = 15;

/// Runs a check over seeded cases, cycling through the smooth kernels.
template <class Check>
void check_cases(DensityCase (*draw)(std::uint64_t), Check&& check) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const DensityCase density_case = draw(100 + seed);
    for_each_cuda_engine([&](const EngineTraits& engine, const EngineSetup& options) {
      const KernelFunction function =
          engine.approximates ? KernelFunction::gaussian : kSmooth[seed % kSmooth.size()];
      if (engine.approximates && !serves(engine.name, options, density_case, function)) return;
      check(engine.name, options, density_case, function);
    });
  }
}

}  // namespace

TEST_CASE("CUDA: mass in a box around all kernels is 1", "[property]") {
  if (skipped()) return;
  check_cases(enclosed_case, [](std::string_view engine, const EngineSetup& options,
                                const DensityCase& density_case, KernelFunction function) {
    if (function->is_bounded()) check_mass(engine, options, density_case, function);
  });
}

TEST_CASE("CUDA: tiles of row spans fit into the shared memory of every kind of GPU", "[span]") {
  const Grid grid{{}, {1, 1, 1}, {500, 300, 200}};
  for (const std::size_t kilobytes : {64, 99, 163, 227})  // compute capabilities 7.5 to 12.0
    for (const KernelFunction function : kSmooth)
      for (const double width : {1.5, 6.0, 30.0, 90.0})
        for (const bool weighted : {false, true}) {
          const gpu::DeviceInfo device{"", 100, 0, kilobytes << 10};
          const Ellipsoid<double> e =
              make_ellipsoid({width * width, 0, 0, width * width, 0, width * width}, grid);
          const kernels::SpanPlan plan =
              kernels::make_span_plan(e, grid, function, 1, {1000, weighted, 1}, device);
          const std::size_t numbers = 2 * static_cast<std::size_t>(plan.power) + 1,
                            word = plan.wide_words ? 8 : 4;
          INFO(kilobytes << " KiB, " << function->name << ", " << plan.describe());
          CHECK(static_cast<std::size_t>(plan.planes) * numbers * 32 * word *
                    (static_cast<std::size_t>(plan.width) + 1) <
                device.shared);
          CHECK(plan.width >= (plan.wide_words ? 32 : 64));
        }
}

TEST_CASE("CUDA: moving samples by whole cells moves the density", "[property]") {
  if (skipped()) return;
  check_cases(property_case, check_translation);
}

TEST_CASE("CUDA: the order of samples does not matter", "[property]") {
  if (skipped()) return;
  check_cases(property_case, check_permutation);
}

TEST_CASE("CUDA: stretching the world divides the density", "[property]") {
  if (skipped()) return;
  check_cases(property_case, check_scaling);
}

TEST_CASE("CUDA: two chunks in one buffer are one run", "[property]") {
  if (skipped()) return;
  check_cases(property_case, check_chunks);
}

TEST_CASE("CUDA: weights count as copies do", "[property]") {
  if (skipped()) return;
  check_cases(property_case, check_weights);
}

TEST_CASE("CUDA: ten runs give the same bits", "[property]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const DensityCase density_case = property_case(100 + seed);
    for_each_cuda_engine([&](const EngineTraits& engine, const EngineSetup& options) {
      check_same_bits(engine.name, options, density_case,
                      kKernelFunctions[seed % kKernelFunctions.size()]);
    });
  }
}

TEST_CASE("CUDA: values are 0 or more, and 0 where no kernel is", "[property]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const DensityCase density_case = property_case(100 + seed);
    const std::vector<Cover> cover = cover_of(density_case);
    for_each_cuda_engine([&](const EngineTraits& engine, const EngineSetup& options) {
      if (engine.approximates) return;
      for (const KernelFunction function : {KernelFunction::uniform, KernelFunction::epanechnikov})
        check_cover(engine.name, options, density_case, cover, function);
    });
  }
}

TEST_CASE("CUDA: piles of samples keep their digits", "[property]") {
  if (skipped()) return;
  for (const StressCase& stress : stress_cases(200000))
    for_each_cuda_engine([&](const EngineTraits& engine, const EngineSetup& options) {
      // Sums by atomic additions lose digits with the number of kernels over a cell.
      if (!engine.deterministic) return;
      if (engine.approximates)
        return check_stress(engine.name, options, stress, KernelFunction::gaussian);
      for (const KernelFunction function :
           {KernelFunction::epanechnikov, KernelFunction::uniform, KernelFunction::triweight})
        check_stress(engine.name, options, stress, function);
    });
}
