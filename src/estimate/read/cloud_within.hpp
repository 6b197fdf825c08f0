#pragma once

#include <memory>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "estimate/read/cloud.hpp"

namespace skde {

/// Returns the samples of a cloud that lie within all of these. Throws Error(usage) if there are
/// none.
std::shared_ptr<const SampleCloud> cloud_within(const SampleCloud& whole,
                                                const std::vector<OutlinedPlaces>& within);

}  // namespace skde
