#pragma once

#include <cstdint>

#include "engines/engine.hpp"

namespace skde {

/// How the members of a group may share a run.
struct GroupSharing {
  /// By slabs: slices at whose multiples they may begin; 0: not by slabs.
  std::int64_t cut_step = 0;
  /// By tiles: seconds, with those of adding up the members' grids; 0: not by tiles.
  double tile_seconds = 0;
  double seconds = 0;  ///< of one member alone

  bool by_slabs() const { return cut_step > 0; }
  bool by_tiles() const { return tile_seconds > 0; }
  bool is_shared() const { return by_slabs() || by_tiles(); }
  /// Of slabs, of which the one with the most work has this share of all.
  double slab_seconds(double largest_share) const;
};

/// What is worth it for so many members, each of which works like `engine`.
GroupSharing sharing_of(const Engine& engine, const Problem& problem, bool shaped,
                        std::size_t members);

}  // namespace skde
