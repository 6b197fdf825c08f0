#pragma once

#include <cstdint>

#include "engines/engine.hpp"

namespace skde {

/// How the members of a group may share a run.
struct GroupSharing {
  /// By slabs: they may begin at multiples of this many slices; 0: not by slabs.
  std::int64_t cut_step = 0;
  /// By tiles: seconds, including the addition of the members' grids; 0: not by tiles.
  double tile_seconds = 0;
  double seconds = 0;  ///< on one member alone

  bool by_slabs() const { return cut_step > 0; }
  bool by_tiles() const { return tile_seconds > 0; }
  bool is_shared() const { return by_slabs() || by_tiles(); }
  /// Returns the seconds by slabs, if the slab with the most work has this share of all work.
  double slab_seconds(double largest_share) const;
};

/// Returns the ways of sharing that are worth it for this many members, which all work like
/// `engine`.
GroupSharing sharing_of(const Engine& engine, const Problem& problem, bool shaped,
                        std::size_t members);

}  // namespace skde
