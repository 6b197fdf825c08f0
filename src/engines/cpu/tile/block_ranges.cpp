#include "engines/cpu/tile/block_ranges.hpp"

#include <fmt/core.h>

#include <string_view>

#include "core/report/error.hpp"

namespace skde {
namespace {

void require_range(const SampleRange& range, std::size_t count, std::string_view of) {
  if (range.first <= range.last && range.last <= count) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("the range [{}, {}) is outside the {} {}", range.first, range.last, count, of),
      {"ranges", "give ranges [first, last) within the points"});
}

}  // namespace

void require_ranges(const BlockRanges& blocks, std::size_t targets, std::size_t sources) {
  std::size_t past = 0;
  for (const TargetBlock& block : blocks) {
    require_range(block.targets, targets, "targets");
    if (block.targets.first < past)
      throw Error(
          ErrorKind::usage,
          fmt::format("the block of targets [{}, {}) overlaps the one before it",
                      block.targets.first, block.targets.last),
          {"ranges", "give blocks in the order of their targets, with each target in one block"});
    past = block.targets.last;
    for (const SampleRange& range : block.sources) require_range(range, sources, "sources");
  }
}

}  // namespace skde
