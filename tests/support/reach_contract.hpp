#pragma once

#include <cstdint>

#include "engines/registry/registry.hpp"
#include "support/engine_contract.hpp"

namespace skde::test {

/// Checks that leaving out the samples beyond the reach that the engine offers changes no bit, if
/// its runs repeat their bits, and next to nothing otherwise. Returns whether it offers a reach.
bool check_reach(const EngineTraits& traits, const EngineSetup& options, KernelFunction function,
                 std::uint64_t seed);

/// Checks the reach of every engine of a device, in each precision, with three kernels and random
/// clouds. Every engine has to offer a reach for one of the kernels, except for naive ones.
void check_reaches(Device device);

}  // namespace skde::test
