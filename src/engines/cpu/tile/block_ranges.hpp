#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/cpu/sample_range.hpp"

namespace skde {

/// The sources that a block of targets sees, as ranges.
struct TargetBlock {
  SampleRange targets;
  std::vector<SampleRange> sources;

  friend bool operator==(const TargetBlock&, const TargetBlock&) = default;
};

/// A block-sparse matrix of pairs, with blocks in the order of their targets. Targets in no block
/// see nothing. Sources that a block names twice count twice.
using BlockRanges = std::vector<TargetBlock>;

/// Throws Error(usage) if a range goes beyond the targets or sources, or if blocks overlap.
void require_ranges(const BlockRanges& blocks, std::size_t targets, std::size_t sources);

}  // namespace skde
