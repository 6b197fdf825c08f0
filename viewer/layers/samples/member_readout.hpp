#pragma once

#include <cstddef>
#include <vector>

#include "core/cloud/samples.hpp"
#include "viewer/layers/space/readout_line.hpp"

namespace skde::view {

/// Returns the numbers of a member of a mixture, in world units: its index from 0, mass, mean, the
/// deviations along its axes with their directions, the longest first, and its covariance.
std::vector<ReadoutLine> member_readout(const SamplesView& members, std::size_t index);

}  // namespace skde::view
