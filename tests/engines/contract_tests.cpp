#include "core/cloud/synthetic_cloud.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <thread>
#include <vector>

#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/engine_properties.hpp"
#include "support/mixture_contract.hpp"
#include "support/reach_contract.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::uint64_t kRandomCases = tried(38);  // with each kernel, in two precisions

/// Returns how many kernels a CPU engine may refuse: those that are not polynomials.
int count_others(const EngineTraits& traits) {
  if (traits.approximates) return static_cast<int>(kKernelFunctions.size());
  return static_cast<int>(std::ranges::count_if(
      kKernelFunctions, [](KernelFunction function) { return !function->degree; }));
}

void check_case(const DensityCase& density_case) {
  const Reference reference = make_reference(density_case.cloud.view(), density_case.H,
                                             density_case.grid, density_case.total_weight());
  for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    const ContractCount count = check_accuracy(traits, options, density_case, reference);
    CHECK(count.refused <= count_others(traits));
    if (traits.approximates) return;
    const Volume volume = compute(traits.name, options, density_case, KernelFunction::epanechnikov);
    INFO(traits.name << ", " << density_case.name);
    CHECK(stray_cells(volume, reference) == 0);
  });
}

void check_every_third(std::size_t first) {
  const std::vector<DensityCase> cases = density_cases();
  for (std::size_t i = first; i < cases.size(); i += 3) check_case(cases[i]);
}

void check_random(std::uint64_t first) {
  for (std::uint64_t seed = first; seed < kRandomCases; seed += 2) check_case(random_case(seed));
}

}  // namespace

// Three test cases check every third case each, so that they can run on different cores.
TEST_CASE("engines of the CPU keep their promised accuracy", "[contract]") { check_every_third(0); }

TEST_CASE("engines of the CPU keep their promised accuracy in other cases", "[contract]") {
  check_every_third(1);
}

TEST_CASE("engines of the CPU keep their promised accuracy in the other cases", "[contract]") {
  check_every_third(2);
}

TEST_CASE("engines of the CPU keep it in random cases", "[contract]") { check_random(0); }

TEST_CASE("engines of the CPU keep it in other random cases", "[contract]") { check_random(1); }

TEST_CASE("deterministic engines of the CPU give the same bits", "[contract]") {
  for (const char* name : {"isotropic", "weights over six orders", "rotated needle 1"})
    for (const KernelFunction function :
         {KernelFunction::epanechnikov, KernelFunction::triweight, KernelFunction::gaussian})
      for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
        if (serves(traits.name, options, named_case(name), function))
          check_determinism(traits, options, named_case(name), function);
      });
}

TEST_CASE("samples out of reach of CPU engines change no bit", "[contract][reach]") {
  check_reaches(Device::cpu);
}

TEST_CASE("an engine of the CPU is used again", "[contract]") {
  for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    check_reuse(traits, options, named_case("isotropic"), named_case("unequal sides"));
    check_reuse(traits, options, named_case("zero weights"), named_case("far larger than the box"));
    check_reuse(traits, options, named_case("unequal sides"),
                named_case("weights over six orders"));
  });
}

TEST_CASE("engines of the CPU report progress up to its total", "[contract]") {
  for (const char* name : {"isotropic", "one sample", "many samples", "one cell"})
    for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
      if (serves(traits.name, options, named_case(name), plain_kernel(traits)))
        check_progress(traits, options, named_case(name));
    });
}

TEST_CASE("engines of the CPU stop where the progress cancels", "[contract]") {
  for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    check_cancellation(traits, options, named_case("isotropic"));
    check_cancellation(traits, options, named_case("one past powers of two"));
    if (serves(traits.name, options, named_case("many samples"), plain_kernel(traits)))
      check_cancelled_sums(traits, options, named_case("many samples"));
  });
}

TEST_CASE("moments are those of the loaded samples", "[contract]") {
  const DensityCase density_case = named_case("weights over six orders");
  for_each_cpu_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    const Moments moments =
        make_engine(traits.name, options)->load(density_case.cloud.view())->moments();
    const Moments expected = compute_moments(density_case.cloud.view());
    CHECK(moments.count() == density_case.cloud.size());
    CHECK(moments.total_weight() == expected.total_weight());
    CHECK(moments.covariance() == expected.covariance());
    CHECK(moments.bounds() == expected.bounds());
  });
}

TEST_CASE("a small box deep inside wide kernels is as dense as they are", "[contract]") {
  for (const double side : {2e-6, 2e-9, 2e-12})
    for (const Vec3 at : {Vec3{0, 0, 0}, Vec3{0.3, -0.2, 0.4}, Vec3{-1.1, 0.6, 0.1}}) {
      const double cell = side / 128;
      DensityCase density_case{"deep", {}, Symmetric3{2.25, 0.3, -0.2, 1.9, 0.25, 2.1}, {}};
      density_case.grid = {{at.x, at.y, at.z}, {cell, cell, cell}, {128, 6, 5}};
      density_case.cloud.xyz = {0.1, 0.05, -0.02, -0.4, 0.2, 0.1, 0.01, 0.3, 0.2};
      INFO("box of " << side << " at " << at.x);
      check_case(density_case);
    }
}

TEST_CASE("grids of one cell along some axes are as exact as others", "[contract]") {
  const Grid all{{-2, -2.5, -1.5}, {0.4, 0.5, 0.3}, {9, 10, 11}};
  for (int flat = 1; flat < 8; ++flat) {
    DensityCase density_case{"flat", {}, Symmetric3{0.9, 0.3, -0.2, 1.4, 0.25, 1.1}, all};
    for (int axis = 0; axis < 3; ++axis)
      if ((flat >> axis & 1) != 0) density_case.grid.dims[static_cast<std::size_t>(axis)] = 1;
    density_case.cloud = make_five_gaussians(3, 0, 300);
    INFO("axes " << flat);
    check_case(density_case);
  }
}

TEST_CASE("kernels reach over more cells than 32 bits count", "[contract]") {
  for (const double reach : {1e8, 1e11}) {  // along x, and tilted towards z
    const Symmetric3 H{reach * reach, 0, 0.9 * reach * 10, 25, 0, 100};
    DensityCase density_case{"reach", {}, H, Grid{{0, 0, 0}, {1, 1, 1}, {8, 8, 8}}};
    density_case.cloud.xyz = {4, 4, -1, 4, 4, 0.5, 4, 4, 12};
    check_case(density_case);
  }
}

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

TEST_CASE("a run on one thread wakes no others to clear its memory", "[contract]") {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  std::ptrdiff_t before = 0, after = 1;
  std::thread([&] {  // which has no team of threads yet
    const std::unique_ptr<Engine> engine = make_engine("openmp", {.threads = 1});
    const Problem problem{{KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)},
                          Grid{{}, {1, 1, 1}, {128, 128, 128}}};
    std::unique_ptr<ValueBuffer> used = engine->begin(problem)->take_values();
    before = threads();
    engine->begin(problem, {.reuse = std::move(used)});
    after = threads();
  })
      .join();
  CHECK(after == before);
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

namespace skde::test {

TEST_CASE("Moments of a mixture are the sums over all cells and points", "[mixture]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) check_mixture_moments(Device::cpu, seed);
}

TEST_CASE("Gradients of a mixture are the slopes of its values", "[mixture]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) check_mixture_gradient(Device::cpu, seed);
}

TEST_CASE("Gradients of a mixture in float are those in double", "[mixture]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) check_mixture_floats(Device::cpu, seed, 60);
  check_mixture_floats(Device::cpu, 3, 1);
  check_mixture_floats(Device::cpu, 4, 20000);
}

}  // namespace skde::test
