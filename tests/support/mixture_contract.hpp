#pragma once

#include <cstdint>

#include "engines/engine_options.hpp"

namespace skde::test {

/// The moments of random members over random cotangents, in double: each against sums over all
/// cells or points by their definition.
void check_mixture_moments(Device device, std::uint64_t seed);
/// Derivatives of a loss of the values by every mass, mean and covariance, in double: each against
/// central differences of the engine's own values.
void check_mixture_gradient(Device device, std::uint64_t seed);
/// Moments in float against those in double, of so many members: needles, plates, members smaller
/// than a cell and outside the box. Two runs give the same bits.
void check_mixture_floats(Device device, std::uint64_t seed, std::size_t members);

}  // namespace skde::test
