#pragma once

#include <cstdint>

#include "core/cloud/samples.hpp"

namespace skde {

/// `count` samples of a cloud chosen at random, none twice, in a seeded order; all where there are
/// not more. Widths and shapes stay behind.
Samples choose_samples(const SamplesView& samples, std::uint64_t count, std::uint64_t seed);

}  // namespace skde
