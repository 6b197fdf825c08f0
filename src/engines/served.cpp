#include "engines/served.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace skde {

void require_served(const Engine& engine, const Problem& problem, const CloudFacts& cloud) {
  const Offer offer = engine.offer(problem, cloud);
  if (offer.serves()) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("engine {} does not serve this: {}", engine.traits().name, offer.refusal),
              {"engine", "choose another `engine`, or leave it out"});
}

}  // namespace skde
