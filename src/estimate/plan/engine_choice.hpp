#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/registry/offer_choice.hpp"
#include "estimate/read/session_engines.hpp"
#include "estimate/values/density_plan.hpp"

namespace skde {

/// Offers among which an engine is chosen, best first.
using RankedOffers = std::vector<const EngineOffer*>;

/// Returns the offers of all engines for a request. No GPU is asked, as that starts its driver, if
/// the request is for a CPU, or if a CPU is done sooner than a GPU has started, unless one has
/// (`wish.resident`).
std::vector<EngineOffer> offers_for(const Problem& problem, const CloudFacts& cloud,
                                    const DensityRequest& request, const EngineWish& wish);

/// Returns the offer of the engine that is named, or the plan's offers that are wished for. Throws
/// what require_served and ranked_offers throw.
RankedOffers permitted_offers(SessionEngines& engines, const DensityRequest& request,
                              const DensityPlan& plan, const EngineWish& wish);

/// Chooses the first engine that fits, or the first of all if none does, and keeps in the plan why
/// others were rejected. shortage() returns why an engine does not fit; empty if it does. An engine
/// for which it throws is rejected, unless there is no other.
const EngineOffer& choose_engine(DensityPlan& plan, const RankedOffers& offers,
                                 const std::function<std::string(const EngineOffer&)>& shortage);

}  // namespace skde
