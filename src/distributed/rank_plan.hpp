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

/// How many samples are nearest to each slice.
std::vector<std::int64_t> count_by_slice(const Grid& grid, const SamplesView& points);

/// What this rank does; `head` is of plan_head(). Slabs have equal work, as the samples of all
/// ranks in each slice say; those of an image `in_pieces` share a slice with the next one. GPUs of
/// a machine are dealt out to its ranks; where there are more ranks, some share one. Throws what
/// plan_sums throws.
SumsPlan plan_rank(const RankGroup& ranks, const CloudFiles& files, SumsRequest request,
                   const PartialHead& head, const std::vector<std::int64_t>& counts,
                   bool in_pieces);

}  // namespace skde
