#pragma once

#include <vector>

#include "core/warning.hpp"
#include "estimate/density.hpp"
#include "estimate/request.hpp"

namespace skde {

/// What may mislead in a density, once all its facts are known.
std::vector<Warning> density_warnings(const DensityRequest& request, const DensityFacts& facts);

}  // namespace skde
