#pragma once

#include <cstdint>

#include "kernels/span/span_tiles.cuh"
#include "kernels/warp.cuh"

/// Access to a tile's candidates by number.
namespace skde::kernels {

/// The runs of sorted samples that hold a tile's candidates, with prefix sums of their lengths.
struct RangeTable {
  std::uint32_t begin[kMostRanges];
  std::uint32_t before[kMostRanges + 1];
};

/// Fills the table; the whole block must call it. The first four warps take two ranges a thread.
__device__ inline void fill_ranges(RangeTable& table, const SpanPlan& plan, const Tile& tile,
                                   const std::uint32_t* starts) {
  constexpr int kFillers = kMostRanges / 2;
  __shared__ std::uint32_t warp_total[kFillers / 32];
  const CandidateBox box = candidate_box(plan, tile);
  const int ranges = box.ranges(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool fills = threadIdx.x < kFillers;
  std::uint32_t length[2] = {0, 0}, sum = 0;
  if (fills) {
    for (int k = 0; k < 2; ++k) {
      const int range = 2 * threadIdx.x + k;
      const SampleRange r = range < ranges ? range_at(plan, box, starts, range) : SampleRange{0, 0};
      table.begin[range] = r.begin;
      length[k] = r.end - r.begin;
    }
    sum = length[0] + length[1];
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t other = __shfl_up_sync(kAllLanes, sum, distance);
      if (lane >= distance) sum += other;
    }
    if (lane == 31) warp_total[warp] = sum;
  }
  __syncthreads();
  if (fills) {
    for (int w = 0; w < warp; ++w) sum += warp_total[w];
    table.before[2 * threadIdx.x] = sum - length[0] - length[1];
    table.before[2 * threadIdx.x + 1] = sum - length[1];
    if (threadIdx.x == kFillers - 1) table.before[kMostRanges] = sum;
  }
  __syncthreads();
}

/// Returns the sorted sample that is candidate number `candidate` of the tile.
__device__ inline std::uint32_t sample_of(const RangeTable& table, std::uint32_t candidate) {
  int first = 0;
#pragma unroll
  for (int step = kMostRanges / 2; step > 0; step /= 2)
    if (table.before[first + step] <= candidate) first += step;
  return table.begin[first] + (candidate - table.before[first]);
}

}  // namespace skde::kernels
