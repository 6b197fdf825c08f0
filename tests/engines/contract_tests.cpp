#include <algorithm>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/report/error.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
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
