#pragma once

#include "engines/engine.hpp"

namespace skde {

/// Returns the engine's offer, or a refusal of means over cells if it does not take them.
Offer offer_for(const Engine& engine, const Problem& problem, const CloudFacts& cloud);

/// Returns the same. Throws Error(unsupported) with its refusal if it does not serve the
/// problem for such a cloud, or not by these orders.
Offer require_served(const Engine& engine, const Problem& problem, const CloudFacts& cloud,
                     const RunOrders& orders = {});

}  // namespace skde
