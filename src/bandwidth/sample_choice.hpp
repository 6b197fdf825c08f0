#pragma once

#include <cstdint>

#include "core/cloud/samples.hpp"

namespace skde {

/// Returns `count` samples of a cloud, chosen at random without repetition, in a seeded order; all
/// if there are no more. Bandwidth factors and shapes are not copied.
Samples choose_samples(const SamplesView& samples, std::uint64_t count, std::uint64_t seed);

}  // namespace skde
