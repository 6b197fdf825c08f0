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

/// Properties that a density must have by any engine, shared by the tests of CPU and CUDA engines.
/// Every check runs the named engine and reports through Catch2. Either of two runs may have the
/// error that the engine's traits state.

/// Returns a random case for the seed: kernels not much thinner than a cell, samples inside and
/// around the box, weights in a third of the cases. In float, q near 1 is accurate to 1e-4.
DensityCase property_case(std::uint64_t seed);
/// Returns a random case for the seed: a box that contains the whole support of kernels that span
/// many cells.
DensityCase enclosed_case(std::uint64_t seed);

/// Checks that the mass in a box that contains all support is 1, for compact kernels without a
/// jump.
void check_mass(std::string_view engine, const EngineSetup& options,
                const DensityCase& density_case, KernelFunction function);

/// Checks that moving the samples by whole cells moves the density by as many cells.
void check_translation(std::string_view engine, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function);

/// Checks that the order of the samples does not matter.
void check_permutation(std::string_view engine, const EngineSetup& options,
                       const DensityCase& density_case, KernelFunction function);

/// Checks that stretching samples, H and grid by s along each axis divides the density by sx sy sz.
void check_scaling(std::string_view engine, const EngineSetup& options,
                   const DensityCase& density_case, KernelFunction function);

/// Checks that two chunks added to one buffer equal one run.
void check_chunks(std::string_view engine, const EngineSetup& options,
                  const DensityCase& density_case, KernelFunction function);

/// Checks that doubling all weights keeps the density, and that a sample of twice the weight equals
/// two samples.
void check_weights(std::string_view engine, const EngineSetup& options,
                   const DensityCase& density_case, KernelFunction function);

/// Checks that ten runs, and runs with other numbers of threads, give the same bits if the traits
/// say `deterministic`.
void check_same_bits(std::string_view engine, const EngineSetup& options,
                     const DensityCase& density_case, KernelFunction function);

/// Whether a kernel covers a cell, none does, or only rounding decides.
enum class Cover : std::uint8_t { none, edge, kernel };
std::vector<Cover> cover_of(const DensityCase& density_case);

/// Checks that no value is negative, and that cells which no kernel covers are 0. CUDA engines that
/// are not deterministic may deviate within their error.
void check_cover(std::string_view engine, const EngineSetup& options,
                 const DensityCase& density_case, const std::vector<Cover>& cover,
                 KernelFunction function);

/// Samples that strain sums with a fixed number of digits, and their exact density.
struct StressCase {
  DensityCase density_case;
  Reference reference;
  std::int64_t lone_slices = 0;  ///< slices from the bottom that only one sample reaches
};
/// Returns piles of `count` samples each (in one place, within one cell, and far from a lone
/// sample), and a sample far heavier than all others.
std::vector<StressCase> stress_cases(std::size_t count);

/// Checks that the density is within the error of the traits, and that the lone sample is not lost.
void check_stress(std::string_view engine, const EngineSetup& options, const StressCase& stress,
                  KernelFunction function);

}  // namespace skde::test
