#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/kernel/kernel_function.hpp"
#include "support/cases/density_cases.hpp"
#include "support/engine_contract.hpp"
#include "support/references/reference.hpp"

namespace skde::test {

/// What is true of a density whoever computes it, shared by the tests of CPU and of CUDA engines.
/// Every check runs the named engine and reports through Catch2. Two runs may each be off by the
/// error that the engine's traits state.

/// Drawn from the seed: kernels no thinner than most of a cell, samples inside and around the box,
/// weights in a third of the cases. q near 1 is known to 1e-4 in float.
DensityCase property_case(std::uint64_t seed);
/// Drawn from the seed: a box that holds the whole support of kernels that span many cells.
DensityCase enclosed_case(std::uint64_t seed);

/// The mass in a box that holds all support is 1; for kernels that end without a jump.
void check_mass(std::string_view engine, const EngineSetup& options,
                const DensityCase& density_case, KernelFunction function);

/// Moving the samples by whole cells moves the density by as many.
void check_translation(std::string_view engine, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function);

/// The order of the samples does not matter.
void check_permutation(std::string_view engine, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function);

/// Stretching samples, H and grid by s along each axis divides the density by sx sy sz.
void check_scaling(std::string_view engine, const EngineSetup& options,
                   const DensityCase& density_case, KernelFunction function);

/// Two chunks that run into one buffer are one run.
void check_chunks(std::string_view engine, const EngineSetup& options,
                  const DensityCase& density_case, KernelFunction function);

/// Twice the weights are the same density, and a sample of twice the weight is the sample twice.
void check_weights(std::string_view engine, const EngineSetup& options,
                   const DensityCase& density_case, KernelFunction function);

/// Ten runs, and runs with other numbers of threads, give the same bits where the traits say
/// `deterministic`.
void check_same_bits(std::string_view engine, const EngineSetup& options,
                     const DensityCase& density_case, KernelFunction function);

/// By how much a cell is covered: by a kernel, by none, or by a hair.
enum class Cover : std::uint8_t { none, edge, kernel };
std::vector<Cover> cover_of(const DensityCase& density_case);

/// No value is below 0, and the cells that no kernel covers are 0: exactly, but for CUDA engines
/// that are not deterministic.
void check_cover(std::string_view engine, const EngineSetup& options,
                 const DensityCase& density_case, const std::vector<Cover>& cover,
                 KernelFunction function);

/// Samples that strain sums of a fixed number of digits, and the density they have.
struct StressCase {
  DensityCase density_case;
  Reference reference;
  std::int64_t lone_slices = 0;  ///< slices from the bottom that one sample alone reaches
};
/// Piles of `count` samples each: in one place, within one cell, and far from a lone sample; and a
/// sample far heavier than all others.
std::vector<StressCase> stress_cases(std::size_t count);

/// The density is as near to the reference as the traits state, and the lone sample is not lost.
void check_stress(std::string_view engine, const EngineSetup& options, const StressCase& stress,
                  KernelFunction function);

}  // namespace skde::test
