#include "engines/served.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/report/error.hpp"

namespace skde {
namespace {

bool may_be_cut(const Problem& problem, const SliceRange& range, std::int64_t step) {
  const std::int64_t slices = problem.grid().dims[2];
  if (step <= 0 || range.first < 0 || range.count <= 0 || range.end() > slices) return false;
  return range.first % step == 0 && (range.end() % step == 0 || range.end() == slices);
}

}  // namespace

Offer offer_for(const Engine& engine, const Problem& problem, const CloudFacts& cloud) {
  if (problem.cells == CellValue::mean && !engine.traits().takes_means)
    return Offer::refused("it computes values at the centres of cells, not means over cells");
  return engine.offer(problem, cloud);
}

Offer require_served(const Engine& engine, const Problem& problem, const CloudFacts& cloud,
                     const RunOrders& orders) {
  Offer offer = offer_for(engine, problem, cloud);
  if (offer.serves() && orders.slices && !may_be_cut(problem, *orders.slices, offer.cut_step))
    offer.refusal = "it cannot divide this grid into these slabs";
  if (offer.serves() && orders.share && !offer.shares_tiles)
    offer.refusal = "it cannot divide a grid into shares of tiles";
  if (offer.serves()) return offer;
  // After a semicolon, a refusal says what would serve.
  const std::size_t end = std::min(offer.refusal.find("; "), offer.refusal.size());
  const std::string remedy =
      end < offer.refusal.size() ? offer.refusal.substr(end + 2) + ", or " : "";
  throw Error(ErrorKind::unsupported,
              fmt::format("engine {} cannot compute this: {}", engine.traits().name,
                          offer.refusal.substr(0, end)),
              {"engine", remedy + "choose another `engine`, or leave it out"});
}

}  // namespace skde
