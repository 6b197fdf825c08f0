#pragma once

#include <cstdint>

#include "kernels/warp.cuh"

/// The candidates that a warp processes: ranges of sorted samples, 32 at a time.
namespace skde::kernels {

/// Sorted samples [begin, begin + length) of one row of coarse cells; empty beyond the last row.
struct CandidateRange {
  std::uint32_t begin = 0, length = 0;
};

/// 32 ranges, one per lane, numbered consecutively: samples [end - length, end) are the lane's.
struct WarpRanges {
  std::uint32_t begin, length, end;

  /// Must be called by all lanes of a warp.
  __device__ explicit WarpRanges(const CandidateRange& own)
      : begin(own.begin), length(own.length), end(own.length) {
    const int lane = threadIdx.x % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t other = __shfl_up_sync(kAllLanes, end, distance);
      if (lane >= distance) end += other;
    }
  }
  __device__ std::uint32_t total() const { return __shfl_sync(kAllLanes, end, 31); }
  /// Returns sorted sample `number`, which must be below total(). All lanes of a warp must call it.
  __device__ std::uint32_t sample(std::uint32_t number) const {
    int holder = 0;  // number of ranges that end at or before `number`
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(kAllLanes, end, holder + step - 1) <= number) holder += step;
    return __shfl_sync(kAllLanes, begin + length - end, holder & 31) + number;
  }
};

}  // namespace skde::kernels
