#pragma once

#include <cstdint>
#include <string_view>

#include "core/report/progress.hpp"
#include "engines/engine.hpp"
#include "engines/registry/registry.hpp"
#include "support/cases/density_cases.hpp"
#include "support/references/reference.hpp"

namespace skde::test {

/// What an engine must guarantee according to its traits, shared by the tests of CPU and CUDA
/// engines. All checks report through Catch2.

/// The options of an engine, and the precision of its problems.
struct EngineSetup : EngineOptions {
  Precision precision = Precision::f32;
};

/// Returns the allowed error of a cell as a share of the peak; 0 if the precision is not served.
double stated_error(const EngineTraits& traits, Precision precision);

Problem problem_of(const DensityCase& density_case, KernelFunction function, Precision precision);
/// The facts of a cloud on which offers are based.
CloudFacts facts_of(const SamplesView& points);

/// Epanechnikov's kernel, or the Gaussian if the engine approximates and refuses compact kernels.
KernelFunction plain_kernel(const EngineTraits& traits);
/// Whether the engine offers to serve the case.
bool serves(std::string_view name, const EngineSetup& options, const DensityCase& density_case,
            KernelFunction function);

/// Computes the density of a case with the named engine in one run. Throws what the engine throws.
Volume compute(std::string_view name, const EngineSetup& options, const DensityCase& density_case,
               KernelFunction function);

/// Calls body(traits, options) for every CPU engine in every precision that it serves.
template <class Body>
void for_each_cpu_engine(Body&& body) {
  for (const EngineEntry& entry : engine_table())
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      if (entry.traits.device != Device::cpu || !entry.traits.serves_grids ||
          !entry.unavailable().empty() || !(stated_error(entry.traits, precision) > 0))
        continue;
      EngineSetup options;
      options.precision = precision;
      options.threads = 3;
      body(entry.traits, options);
    }
}

/// How many kernels an engine computed, and how many it refused.
struct ContractCount {
  int served = 0, refused = 0;
};

/// Checks for all kernel functions that every cell is within the error of the traits. Engines that
/// approximate may refuse any kernel; others must serve the uniform and the Epanechnikov kernel. A
/// refusal must be both an offer that refuses and an Error(unsupported).
ContractCount check_accuracy(const EngineTraits& traits, const EngineSetup& options,
                             const DensityCase& density_case, const Reference& reference);

/// Checks for the same bits in a second run, by a second engine, and with other numbers of threads.
void check_determinism(const EngineTraits& traits, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function);

/// Checks on one engine that adding twice gives twice the density, that a run into values of
/// another run starts at 0, that parts sum up to the whole cloud, and that the first problem has
/// the same result after another problem.
void check_reuse(const EngineTraits& traits, const EngineSetup& options,
                 const DensityCase& density_case, const DensityCase& other);

/// Checks that progress begins with a stage and ends at its total, and that stages have names and
/// times.
void check_progress(const EngineTraits& traits, const EngineSetup& options,
                    const DensityCase& density_case);

/// Checks that cancelling before the run or after the first update makes add() throw
/// Error(cancelled) with work left undone, and that the engine can be used afterwards.
void check_cancellation(const EngineTraits& traits, const EngineSetup& options,
                        const DensityCase& density_case);

/// Checks that cancelling after the first update of the sums leaves at least half of them undone.
void check_cancelled_sums(const EngineTraits& traits, const EngineSetup& options,
                          const DensityCase& density_case);

}  // namespace skde::test
