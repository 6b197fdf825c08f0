#include "engines/registry/offer_choice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/error.hpp"

namespace skde {
namespace {

bool is_asked(const EngineOffer& offer, const EngineWish& wish) {
  const EngineTraits& traits = offer.entry->traits;
  return (!wish.device || traits.device == *wish.device) && !(wish.exact && traits.approximates);
}

[[noreturn]] void throw_refused(std::span<const EngineOffer> offers, const EngineWish& wish) {
  std::string why;
  bool here = false;  // whether any engine that was asked can run
  for (const EngineOffer& offer : offers) {
    if (!is_asked(offer, wish)) continue;
    here = here || offer.entry->unavailable().empty();
    why += fmt::format("{}{}: {}", why.empty() ? "" : ", ", offer.entry->traits.name,
                       offer.offer.refusal);
  }
  throw Error(here ? ErrorKind::unsupported : ErrorKind::resources,
              fmt::format("no engine can compute this ({})", why),
              {"engine", here ? "" : "use `engine=cpu`, without `device`"});
}

}  // namespace

std::vector<const EngineOffer*> ranked_offers(std::span<const EngineOffer> offers, double tolerance,
                                              const EngineWish& wish) {
  std::vector<const EngineOffer*> ranked;
  ranked.reserve(offers.size());
  for (const EngineOffer& offer : offers)
    if (offer.offer.serves() && is_asked(offer, wish)) ranked.push_back(&offer);
  if (ranked.empty()) throw_refused(offers, wish);
  const auto is_rough = [&](const EngineOffer* offer) {
    return tolerance > 0 && !wish.exact && !(offer->offer.error <= tolerance);
  };
  if (!std::ranges::all_of(ranked, is_rough)) std::erase_if(ranked, is_rough);
  std::ranges::stable_sort(ranked, {}, [&](const EngineOffer* offer) {
    return wish.resident ? offer->offer.seconds.run : offer->offer.seconds.total();
  });
  return ranked;
}

}  // namespace skde
