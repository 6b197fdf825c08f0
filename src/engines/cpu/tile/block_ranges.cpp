#include "engines/cpu/tile/block_ranges.hpp"

#include <fmt/core.h>

#include <algorithm>
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

BlockRanges transposed(const BlockRanges& blocks) {
  // No range begins or ends between two neighbouring cuts.
  std::vector<std::size_t> cuts;
  for (const TargetBlock& block : blocks)
    for (const SampleRange& range : block.sources) {
      if (range.size() == 0) continue;
      cuts.insert(cuts.end(), {range.first, range.last});
    }
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  BlockRanges result(cuts.empty() ? 0 : cuts.size() - 1);
  for (std::size_t i = 0; i < result.size(); ++i) result[i].targets = {cuts[i], cuts[i + 1]};
  for (const TargetBlock& block : blocks) {
    if (block.targets.size() == 0) continue;
    for (const SampleRange& range : block.sources) {
      auto at =
          static_cast<std::size_t>(std::ranges::lower_bound(cuts, range.first) - cuts.begin());
      for (; at < result.size() && cuts[at] < range.last; ++at)
        result[at].sources.push_back(block.targets);
    }
  }
  std::erase_if(result, [](const TargetBlock& block) { return block.sources.empty(); });
  return result;
}

}  // namespace skde
