#include "core/report/error.hpp"
#include "gpu/device_fixture.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/reach_contract.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr int kRandomCases = 40;

/// Returns how many kernels the engines refused.
int check_case(const DensityCase& density_case) {
  const Reference reference = make_reference(density_case.cloud.view(), density_case.H,
                                             density_case.grid, density_case.total_weight());
  int refused = 0;
  for_each_cuda_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    const ContractCount count = check_accuracy(traits, options, density_case, reference);
    if (traits.approximates) return;
    CHECK(count.served >= 2);
    if (traits.name != "cuda-span") CHECK(count.refused == 0);
    if (!traits.approximates) refused += count.refused;
  });
  return refused;
}

}  // namespace

TEST_CASE("CUDA engines keep their promised accuracy", "[contract]") {
  if (skipped()) return;
  for (const DensityCase& density_case : density_cases()) check_case(density_case);
}

TEST_CASE("CUDA engines keep it in random cases", "[contract]") {
  if (skipped()) return;
  int refused = 0;
  for (int seed = 0; seed < kRandomCases; ++seed)
    refused += check_case(random_case(100 + static_cast<std::uint64_t>(seed)));
  // In each case the six kernels that are no polynomials in q.
  CHECK(refused <= 6 * kRandomCases + kRandomCases / 2);
}

TEST_CASE("deterministic CUDA engines give the same bits", "[contract]") {
  if (skipped()) return;
  for (const char* name : {"isotropic", "weights over six orders", "rotated needle 1",
                           "cluster and outliers", "duplicates", "long along x"})
    for (const KernelFunction function :
         {KernelFunction::uniform, KernelFunction::epanechnikov, KernelFunction::gaussian})
      for_each_cuda_engine([&](const EngineTraits& traits, const EngineSetup& options) {
        if (serves(traits.name, options, named_case(name), function))
          check_determinism(traits, options, named_case(name), function);
      });
}

TEST_CASE("samples out of reach of CUDA engines change no bit", "[contract][reach]") {
  if (skipped()) return;
  check_reaches(Device::cuda);
}

TEST_CASE("a CUDA engine is used again", "[contract]") {
  if (skipped()) return;
  for_each_cuda_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    check_reuse(traits, options, named_case("isotropic"), named_case("unequal sides"));
    check_reuse(traits, options, named_case("zero weights"), named_case("far larger than the box"));
    check_reuse(traits, options, named_case("unequal sides"),
                named_case("weights over six orders"));
  });
}

TEST_CASE("CUDA engines report progress and can be cancelled", "[contract]") {
  if (skipped()) return;
  for_each_cuda_engine([&](const EngineTraits& traits, const EngineSetup& options) {
    check_progress(traits, options, named_case("isotropic"));
    check_progress(traits, options, named_case("one sample"));
    check_cancellation(traits, options, named_case("isotropic"));
  });
}

TEST_CASE("batches of any size give the same density", "[batches]") {
  if (skipped()) return;
  const DensityCase density_case = named_case("weights over six orders");
  const Reference reference = make_reference(density_case.cloud.view(), density_case.H,
                                             density_case.grid, density_case.total_weight());
  for_each_cuda_engine([&](const EngineTraits& traits, EngineSetup options) {
    for (const std::int64_t bytes : {1, 1000, 24 * 100, 24 * 501, 1 << 20}) {
      INFO("work memory of " << bytes << " bytes");
      options.work_memory = bytes;
      check_accuracy(traits, options, density_case, reference);
    }
    options.work_memory = 24 * 100;
    check_cancellation(traits, options, density_case);
    check_progress(traits, options, density_case);
  });
}

TEST_CASE("double is refused by CUDA engines without it", "[contract]") {
  if (skipped()) return;
  const DensityCase density_case = density_cases().front();
  const Problem problem = problem_of(density_case, KernelFunction::epanechnikov, Precision::f64);
  for (const EngineEntry& entry : engine_table())
    if (entry.traits.device == Device::cuda && !(entry.traits.error_f64 > 0)) {
      INFO(entry.traits.name);
      const auto engine = make_engine(entry.traits.name, {});
      CHECK_FALSE(engine->offer(problem, facts_of(density_case.cloud.view())).serves());
      CHECK(thrown_error([&] { engine->begin(problem); }).kind() == ErrorKind::unsupported);
    }
}
