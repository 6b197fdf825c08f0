#pragma once

#include "engines/engine.hpp"

namespace skde {

/// Returns the engine's offer. Throws Error(unsupported) with its refusal if it does not serve the
/// problem for such a cloud.
Offer require_served(const Engine& engine, const Problem& problem, const CloudFacts& cloud);

}  // namespace skde
