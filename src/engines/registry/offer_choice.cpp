#include "engines/registry/offer_choice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/error.hpp"

namespace skde {
namespace {

/// Without a tolerance, an engine that rounds by more than this share of the peak is the last.
constexpr double kRounding = 1e-4;
/// So many times faster is an engine that is preferred to one whose bits are the same in each run.
constexpr double kRepeatable = 8;

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
  const double most = tolerance > 0 && !wish.exact ? tolerance : kRounding;
  const auto is_rough = [&](const EngineOffer* offer) { return !(offer->offer.error <= most); };
  if (!std::ranges::all_of(ranked, is_rough)) std::erase_if(ranked, is_rough);
  std::ranges::stable_sort(ranked, {}, [&](const EngineOffer* offer) {
    const double seconds = wish.resident ? offer->offer.seconds.run : offer->offer.seconds.total();
    return offer->offer.repeats ? seconds : kRepeatable * seconds;
  });
  return ranked;
}

}  // namespace skde
