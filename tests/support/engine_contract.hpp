#pragma once

#include <cstdint>
#include <string_view>

#include "core/report/progress.hpp"
#include "engines/engine.hpp"
#include "engines/registry.hpp"
#include "support/cases/density_cases.hpp"
#include "support/references/reference.hpp"

namespace skde::test {

/// What an engine is held to, by its traits: the tests of CPU and of CUDA engines share it. All of
/// them report through Catch2.

/// What an engine is made with, and the precision of the problems it gets.
struct EngineSetup : EngineOptions {
  Precision precision = Precision::f32;
};

/// The share of the peak that a cell may be off by; 0 where the precision is not served.
double stated_error(const EngineTraits& traits, Precision precision);

Problem problem_of(const DensityCase& density_case, KernelFunction function, Precision precision);
/// What offers go by.
CloudFacts facts_of(const SamplesView& points);

/// Epanechnikov's, or the Gaussian for engines that approximate kernels with an end.
KernelFunction plain_kernel(const EngineTraits& traits);
/// Whether the engine's offer takes the case.
bool serves(std::string_view name, const EngineSetup& options, const DensityCase& density_case,
            KernelFunction function);

/// The density of a case as a named engine computes it, all steps in a row. Throws what they throw.
Volume compute(std::string_view name, const EngineSetup& options, const DensityCase& density_case,
               KernelFunction function);

/// Calls body(traits, options) for every engine of the CPU in every precision that it serves.
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

/// How often a kernel was computed and how often an engine said that it does not serve it.
struct ContractCount {
  int served = 0, refused = 0;
};

/// Every cell of the case is as near to the reference as the traits state, for all kernel
/// functions. Only the uniform and the Epanechnikov kernel may not be refused, by the engine's
/// offer and with Error(unsupported) alike; engines that approximate may refuse any.
ContractCount check_accuracy(const EngineTraits& traits, const EngineSetup& options,
                             const DensityCase& density_case, const Reference& reference);

/// The same bits on a second run, from a second engine, and with other numbers of threads.
void check_determinism(const EngineTraits& traits, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function);

/// On one engine: adding twice is twice the density, a run into values of another run starts at 0,
/// parts sum up to the whole cloud, and after another problem the first comes out as before.
void check_reuse(const EngineTraits& traits, const EngineSetup& options,
                 const DensityCase& density_case, const DensityCase& other);

/// Progress begins with a stage and ends at its total; stages have names and times.
void check_progress(const EngineTraits& traits, const EngineSetup& options,
                    const DensityCase& density_case);

/// A progress that cancels, before the run or after the first update, makes add() throw
/// Error(cancelled) with work left undone, and the engine works on afterwards.
void check_cancellation(const EngineTraits& traits, const EngineSetup& options,
                        const DensityCase& density_case);

/// A progress that cancels after the first update of the sums leaves at least half of them undone.
void check_cancelled_sums(const EngineTraits& traits, const EngineSetup& options,
                          const DensityCase& density_case);

}  // namespace skde::test
