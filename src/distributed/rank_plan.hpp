#pragma once

#include <cstdint>
#include <vector>

#include "distributed/rank_group.hpp"

namespace skde {

struct CloudFiles;
struct Grid;
struct PartialHead;
struct SamplesView;
struct SumsPlan;
struct SumsRequest;

/// Returns how many samples are nearest to each slice.
std::vector<std::int64_t> count_by_slice(const Grid& grid, const SamplesView& points);

/// Plans what this rank does; `head` comes from plan_head(). Slabs have equal work, judged by the
/// samples of all ranks in each slice. Slabs of an image `in_pieces` share a slice with the next
/// one. The GPUs of a machine are divided among its ranks; if there are more ranks, some share one.
/// Throws what plan_sums throws.
SumsPlan plan_rank(const RankGroup& ranks, const CloudFiles& files, SumsRequest request,
                   const PartialHead& head, const std::vector<std::int64_t>& counts,
                   bool in_pieces);

}  // namespace skde
