#include "estimate/plan/engine_choice.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/report/error.hpp"
#include "engines/served.hpp"
#include "estimate/read/pilot_samples.hpp"

namespace skde {

std::vector<EngineOffer> offers_for(const Problem& problem, const CloudFacts& cloud,
                                    const DensityRequest& request, const EngineWish& wish) {
  std::vector<EngineOffer> offers = engine_offers(problem, cloud, request.options, false);
  const auto serves = [](const EngineOffer& offer) { return offer.offer.serves(); };
  const std::optional<Device> wanted =
      request.is_automatic() ? wish.device : engine_entry(request.engine).traits.device;
  const bool is_sooner =
      !wanted && !wish.resident && std::ranges::any_of(offers, serves) &&
      ranked_offers(offers, request.tolerance, wish).front()->offer.seconds.total() <=
          kGpuStartSeconds;
  if (wanted == Device::cpu || is_sooner) return offers;
  return engine_offers(problem, cloud, request.options);
}

RankedOffers permitted_offers(SessionEngines& engines, const DensityRequest& request,
                              const DensityPlan& plan, const EngineWish& wish) {
  if (request.is_automatic()) return ranked_offers(plan.offers, request.tolerance, wish);
  require_served(engines.named(request.engine, request.options), plan.problem, plan.cloud);
  return {&offer_of(plan.offers, request.engine)};
}

const EngineOffer& choose_engine(DensityPlan& plan, const RankedOffers& offers,
                                 const std::function<std::string(const EngineOffer&)>& shortage) {
  const EngineOffer *chosen = nullptr, *short_of_room = nullptr;
  for (const EngineOffer* const offer : offers) {
    const std::string name(offer->entry->traits.name);
    try {
      std::string why = shortage(*offer);
      if (why.empty()) {
        chosen = offer;
        break;
      }
      plan.rejected.push_back({name, std::move(why)});
      if (short_of_room == nullptr) short_of_room = offer;
    } catch (const Error& error) {  // the device fails, or there are too many images
      if (error.kind() == ErrorKind::cancelled || offers.size() == 1) throw;
      plan.rejected.push_back({name, error.problem()});
    }
  }
  if (chosen == nullptr) {
    plan.rejected.clear();
    if (short_of_room == nullptr) shortage(*offers.front());  // throws again
    chosen = short_of_room != nullptr ? short_of_room : offers.front();
  }
  plan.engine = chosen->entry->traits.name;
  plan.device = chosen->entry->traits.device;
  plan.error_bound = chosen->offer.error + 0.5 * shift_error(plan.request);
  return *chosen;
}

}  // namespace skde
