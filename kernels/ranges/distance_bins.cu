#include "gpu/check.hpp"
#include "kernels/ranges/distance_bins.hpp"
#include "kernels/ranges/target_groups.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = kBinnedTargets / kEach, kWarps = kBlock / 32;
/// A number of shared memory holds the pairs of a bin and, above these bits, their steps. It is
/// moved to the bin once it holds half as many pairs as have room. The other half is more than all
/// threads can add before that: each adds one or two, and looks.
constexpr std::uint32_t kCountBits = 12, kCounts = (1u << kCountBits) - 1, kMany = kCounts / 2;
static_assert(kCounts * (DistanceBin::kSteps - 1u) < 1u << (32 - kCountBits) &&
              kCounts - kMany > 3 * kBlock);

/// Shared memory of a block.
struct BinnedPairs {
  std::uint32_t packed[DistanceBin::kBins];
  double3 gathered[kWarps][RangePolicy::kTogether];  // places in radii about the middle of a group
};

__device__ void move_to(DistanceBin& bin, std::uint32_t packed) {
  if (packed == 0) return;
  atomicAdd(&bin.pairs, packed & kCounts);
  atomicAdd(&bin.steps, packed >> kCountBits);
}

__device__ void count_pair(float q, std::uint32_t* packed, DistanceBin* bins) {
  if (!(q < 1)) return;
  constexpr std::uint32_t kPlaces = DistanceBin::kBins * DistanceBin::kSteps;
  constexpr float kRound = 0x1p23f;
  const std::uint32_t place =
      __float_as_uint(fmaf(__fsqrt_rn(q), kPlaces, kRound)) - __float_as_uint(kRound);
  if (place >= kPlaces) return;
  const std::uint32_t bin = place / DistanceBin::kSteps, step = place % DistanceBin::kSteps;
  const std::uint32_t before = atomicAdd(packed + bin, 1 + (step << kCountBits));
  if ((before & kCounts) >= kMany) move_to(bins[bin], atomicExch(packed + bin, 0));
}

/// Each warp counts the pairs of its own targets, one group at a time.
__global__ void __launch_bounds__(kBlock, 2)
    bin_kernel(RangeSums work, std::int64_t first_block, DistanceBin* bins) {
  extern __shared__ unsigned char shared[];
  BinnedPairs& own = *reinterpret_cast<BinnedPairs*>(shared);
  for (int bin = static_cast<int>(threadIdx.x); bin < DistanceBin::kBins; bin += kBlock)
    own.packed[bin] = 0;
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  LaneTargets targets(work, (first_block + blockIdx.x) * kBinnedTargets + warp * 32 * kEach + lane);
  while (const unsigned waiting = __ballot_sync(kAllLanes, targets.any_waits())) {
    const Frame frame(work.lattice, waiting, targets);
    double3 at[kEach];
    constexpr double kFar = 1e15;  // beyond all samples: it is of no pair
    for (int t = 0; t < kEach; ++t) {
      const double(&u)[3] = targets.u[t];
      at[t] = {targets.joins[t] ? u[0] : kFar, u[1], u[2]};
    }
    sum_group(
        work, frame,
        [&](int to, const double(&u)[3], double /*weight*/) {
          own.gathered[warp][to] = {u[0], u[1], u[2]};
        },
        [&](int count) {
#pragma unroll 1
          for (int s = 0; s < count; ++s) {
            const double3 sample = own.gathered[warp][s];
#pragma unroll
            for (int t = 0; t < kEach; ++t) {
              const double dx = at[t].x - sample.x, dy = at[t].y - sample.y,
                           dz = at[t].z - sample.z;
              // CPUs round these operations in the same way: see pair_sums.cpp.
              const double q = fma(dz, dz, fma(dy, dy, dx * dx));
              count_pair(static_cast<float>(q), own.packed, bins);
            }
          }
        });
    for (int t = 0; t < kEach; ++t) targets.waits[t] = targets.waits[t] && !targets.joins[t];
  }
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < DistanceBin::kBins; bin += kBlock)
    move_to(bins[bin], own.packed[bin]);
}

}  // namespace

void bin_distances(const RangeSums& sums, std::int64_t first, std::int64_t blocks,
                   DistanceBin* bins, cudaStream_t stream) {
  constexpr int kBytes = sizeof(BinnedPairs);
  gpu::check(cudaFuncSetAttribute(bin_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
             "count pairs in shared memory");
  bin_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(kBlock), kBytes, stream>>>(
      sums, first, bins);
  gpu::check_launch("count pairs by distance");
}

}  // namespace skde::kernels
