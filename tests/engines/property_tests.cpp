#include <array>
#include <initializer_list>

#include "engines/registry/registry.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/engine_properties.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// The kernels that are continuous at their ends.
constexpr std::array kSmooth{KernelFunction::epanechnikov, KernelFunction::biweight,
                             KernelFunction::triweight};
constexpr std::uint64_t kPropertySeeds = tried(15), kSeedsOfBits = 4;

/// Runs a check over seeded cases, cycling through the smooth kernels.
template <class Check>
void check_cases(DensityCase (*draw)(std::uint64_t), Check&& check) {
  for (std::uint64_t seed = 0; seed < kPropertySeeds; ++seed) {
    const DensityCase density_case = draw(seed);
    for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
      const KernelFunction function =
          traits.approximates ? KernelFunction::gaussian : kSmooth[seed % kSmooth.size()];
      if (traits.approximates && !serves(traits.name, options, density_case, function)) return;
      check(traits.name, options, density_case, function);
    });
  }
}

/// Checks one sample repeated more often than a float can count in steps of one.
void check_pile(double along_x) {
  constexpr std::size_t kPile = tried(17500000);
  const Vec3 place{40.3, 5.81, 4.47};
  Samples pile;
  pile.xyz.resize(3 * kPile);
  for (std::size_t i = 0; i < pile.xyz.size(); ++i) pile.xyz[i] = place[static_cast<int>(i % 3)];
  const auto sum = [](const SamplesView& points, const Symmetric3& H, double weight,
                      Precision precision) {
    Problem problem{{KernelFunction::epanechnikov, H}, Grid{{}, {1, 1, 1}, {80, 12, 9}}};
    problem.total_weight = weight;
    problem.precision = precision;
    const std::unique_ptr<Engine> engine = make_engine("span", {});
    const std::unique_ptr<LoadedSamples> samples = engine->load(points);
    const std::unique_ptr<Run> run = engine->begin(problem);
    NoProgress silent;
    run->add(*samples, silent);
    run->finish(silent);
    return run->take_values()->take_volume();
  };
  const Symmetric3 H{along_x, 0.1, 0, 2.2, 0.3, 2.5};
  const Volume all = sum(pile.view(), H, static_cast<double>(kPile), Precision::f32);
  const Volume one = sum(pile.view().slice(0, 1), H, 1, Precision::f64);
  double worst = 0;
  for (std::size_t i = 0; i < all.values<float>().size(); ++i)
    worst = std::max(worst, std::abs(all.values<float>()[i] - one.values<double>()[i]));
  INFO("H_xx = " << along_x << ": " << worst / one.maximum() << " of the peak");
  CHECK(one.maximum() > 0);
  CHECK(worst < engine_entry("span").traits.error_f32 * one.maximum());
}

/// Runs the Gaussian by engines that approximate, and all other kernels by the others.
void check_piles(std::initializer_list<KernelFunction> functions) {
  constexpr std::size_t kPile = tried(100000), kPileOfNaive = tried(10000);
  for (const std::size_t count : {kPileOfNaive, kPile})
    for (const StressCase& stress : stress_cases(count))
      for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
        // Sums by atomic additions lose digits with the number of kernels over a cell.
        if (!traits.deterministic) return;
        if (traits.name == "naive" && count != kPileOfNaive) return;
        if (traits.name != "naive" && count == kPileOfNaive) return;
        for (const KernelFunction function : functions)
          if (traits.approximates == (function == KernelFunction::gaussian))
            check_stress(traits.name, options, stress, function);
      });
}

}  // namespace

TEST_CASE("mass in a box around all kernels is 1", "[property]") {
  check_cases(enclosed_case, [](std::string_view engine, const EngineSetup& options,
                                const DensityCase& density_case, KernelFunction function) {
    if (function->is_bounded()) check_mass(engine, options, density_case, function);
  });
}

TEST_CASE("moving samples by whole cells moves the density", "[property]") {
  check_cases(property_case, check_translation);
}

TEST_CASE("the order of samples does not matter", "[property]") {
  check_cases(property_case, check_permutation);
}

TEST_CASE("stretching the world divides the density", "[property]") {
  check_cases(property_case, check_scaling);
}

TEST_CASE("two chunks in one buffer are one run", "[property]") {
  check_cases(property_case, check_chunks);
}

TEST_CASE("weights count as copies do", "[property]") { check_cases(property_case, check_weights); }

TEST_CASE("ten runs give the same bits", "[property]") {
  for (std::uint64_t seed = 0; seed < kSeedsOfBits; ++seed) {
    const DensityCase density_case = property_case(seed);
    for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
      check_same_bits(traits.name, options, density_case,
                      kKernelFunctions[seed % kKernelFunctions.size()]);
    });
  }
}

TEST_CASE("values are 0 or more, and 0 where no kernel is", "[property]") {
  for (std::uint64_t seed = 0; seed < kPropertySeeds; ++seed) {
    const DensityCase density_case = property_case(seed);
    const std::vector<Cover> cover = cover_of(density_case);
    for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
      if (traits.approximates) return;
      for (const KernelFunction function : {KernelFunction::uniform, KernelFunction::epanechnikov})
        check_cover(traits.name, options, density_case, cover, function);
    });
  }
}

TEST_CASE("piles of samples keep their digits", "[property]") {
  check_piles({KernelFunction::epanechnikov, KernelFunction::gaussian});
}

TEST_CASE("piles of samples keep their digits with other kernels", "[property]") {
  check_piles({KernelFunction::uniform, KernelFunction::triweight});
}

TEST_CASE("a pile of more samples than floats count keeps its digits, in rows of a few cells",
          "[property]") {
  check_pile(2);
}

TEST_CASE("a pile of more samples than floats count keeps its digits, in rows by their differences",
          "[property]") {
  check_pile(1500);
}
