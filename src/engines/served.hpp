#pragma once

#include "engines/engine.hpp"

namespace skde {

/// Throws Error(unsupported) with the engine's refusal if it does not serve the problem for such a
/// cloud.
void require_served(const Engine& engine, const Problem& problem, const CloudFacts& cloud);

}  // namespace skde
