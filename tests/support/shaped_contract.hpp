#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"

namespace skde::test {

/// The density of the samples by an engine, x fastest.
std::vector<double> density_of(std::string_view engine, const Problem& problem,
                               const SamplesView& points, int threads = 3);

/// The engine's bound holds in the shaped case of the seed, which also chooses widths or shapes,
/// kernel and precision. What kernels lose beyond their cut is a share of their own heights.
void check_shaped_case(std::string_view engine, std::uint64_t seed);
/// Seeds from here on have the kernels that are profiles of the root of q.
inline constexpr std::uint64_t kSeedsOfQ = 200;

}  // namespace skde::test
