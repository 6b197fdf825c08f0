#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/cpu/sample_range.hpp"

namespace skde {

/// Which sources a block of targets sees: ranges of sources that lie together.
struct TargetBlock {
  SampleRange targets;
  std::vector<SampleRange> sources;

  friend bool operator==(const TargetBlock&, const TargetBlock&) = default;
};

/// A block-sparse matrix of pairs, its blocks in the order of their targets. Targets that are in no
/// block see nothing; sources that a block names twice count twice.
using BlockRanges = std::vector<TargetBlock>;

/// Error(usage) where a range is not one of so many targets and sources, or blocks overlap.
void require_ranges(const BlockRanges& blocks, std::size_t targets, std::size_t sources);

/// The same pairs with the roles exchanged: blocks of sources and the targets that see them.
BlockRanges transposed(const BlockRanges& blocks);

}  // namespace skde
