#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "support/cases/shaped_cases.hpp"

namespace skde::test {

/// Returns the density of the samples by an engine, x fastest.
std::vector<double> density_of(std::string_view engine, const Problem& problem,
                               const SamplesView& points, int threads = 3);

/// Checks the engine's error bound in the shaped case of the seed, which also selects factors or
/// shapes, precision and kernel: 32 seeds have all combinations. The loss of a kernel beyond its
/// cut is a share of its own height.
void check_shaped_case(std::string_view engine, std::uint64_t seed);
/// Checks one given case in the same way. `tolerance` is that of an unbounded kernel's cut.
void check_shaped_case(std::string_view engine, const ShapedCase& shaped, KernelFunction function,
                       Precision precision, double tolerance = 0);
/// Compares means over the cells of a random case with those of `tile` in double: with one shape
/// for all samples, widths and shapes, for every kernel in 40 seeds.
void check_mean_case(std::string_view engine, std::uint64_t seed);

}  // namespace skde::test
