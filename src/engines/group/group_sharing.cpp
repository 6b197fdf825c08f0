#include "engines/group/group_sharing.hpp"

namespace skde {
namespace {

constexpr double kStartSeconds = 2e-4;  // to start the threads
constexpr double kBalance = 1.1;        // slowest member relative to the mean

}  // namespace

double GroupSharing::slab_seconds(double largest_share) const {
  return kStartSeconds + kBalance * seconds * largest_share;
}

GroupSharing sharing_of(const Engine& engine, const Problem& problem, bool shaped,
                        std::size_t members) {
  constexpr double kWorthSeconds = 2e-3, kManyBytes = 4e9;
  constexpr std::int64_t kFinestShare = 4;  // steps per member
  // Most bytes of a grid that is added up, and bytes per second of downloads and sums on the host.
  constexpr double kMostAdded = 3e8, kAddedBytes = 1e10;
  if (members < 2 || !problem.has_grid()) return {};
  const Offer offer =
      engine.offer(problem, {static_cast<std::int64_t>(problem.samples), false, shaped});
  if (!offer.serves()) return {};
  const auto count = static_cast<double>(members);
  const auto bytes = static_cast<double>(problem.grid().bytes(problem.precision));
  GroupSharing sharing;
  sharing.seconds = offer.seconds.run;
  const bool fine =
      problem.grid().dims[2] >= kFinestShare * static_cast<std::int64_t>(members) * offer.cut_step;
  if (fine && (offer.seconds.run > kWorthSeconds || bytes > kManyBytes))
    sharing.cut_step = offer.cut_step;
  const double by_tiles = sharing.slab_seconds(1 / count) + count * bytes / kAddedBytes;
  if (offer.shares_tiles && bytes <= kMostAdded && by_tiles < offer.seconds.run)
    sharing.tile_seconds = by_tiles;
  return sharing;
}

}  // namespace skde
