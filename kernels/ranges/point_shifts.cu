#include "kernels/ranges/point_shifts.hpp"

#include <cmath>

#include "gpu/check.hpp"
#include "kernels/power_of_half.cuh"
#include "kernels/ranges/target_groups.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = RangePolicy::kBlock, kWarps = kBlock / 32;
constexpr double kHalfLog2e = 0.72134752044448170368;

/// The samples that a warp has gathered: places about the middle of a group, scaled so that a
/// kernel is 2^(-|d|^2), and the negative logarithms of their weights.
struct GatheredSources {
  float4 places[RangePolicy::kTogether];

  __device__ void put(int at, const double (&u)[3], double weight, double scale) {
    places[at] = {static_cast<float>(scale * u[0]), static_cast<float>(scale * u[1]),
                  static_cast<float>(scale * u[2]), -log2f(static_cast<float>(weight))};
  }
};

/// A lane's targets and their four sums: kernels, and kernels times source minus target.
struct OwnShifts {
  float x[kEach], y[kEach], z[kEach];
  double sums[kEach][4];

  __device__ OwnShifts(const LaneTargets& own, double scale) {
    for (int t = 0; t < kEach; ++t) {
      x[t] = static_cast<float>(scale * own.u[t][0]);
      y[t] = static_cast<float>(scale * own.u[t][1]);
      z[t] = static_cast<float>(scale * own.u[t][2]);
      for (double& sum : sums[t]) sum = 0;
    }
  }

  __device__ void add(const GatheredSources& gathered, int count) {
    float part[kEach][4] = {};
#pragma unroll 4
    for (int s = 0; s < count; ++s) {
      const float4 source = gathered.places[s];
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const float dx = source.x - x[t], dy = source.y - y[t], dz = source.z - z[t];
        const float kernel = power_of_half(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, source.w))));
        part[t][0] += kernel;
        part[t][1] = fmaf(kernel, dx, part[t][1]);
        part[t][2] = fmaf(kernel, dy, part[t][2]);
        part[t][3] = fmaf(kernel, dz, part[t][3]);
      }
    }
    for (int t = 0; t < kEach; ++t)
      for (int c = 0; c < 4; ++c) sums[t][c] += static_cast<double>(part[t][c]);
  }
};

/// Returns how many samples lie in cells within kBeyond radii of the box, in every lane.
__device__ std::uint32_t count_near(const RangeSums& work, const BallBox& box) {
  const CellRows rows(work.lattice, box, ShiftSums::kBeyond);
  std::uint32_t count = 0;
  for (std::int32_t row = static_cast<std::int32_t>(threadIdx.x) % 32; row < rows.count; row += 32)
    count += range_of(work, box, rows, row).length;
  return warp_sum(count);
}

__global__ void __launch_bounds__(kBlock)
    shift_kernel(ShiftSums shifts, double scale, std::int64_t first_block) {
  __shared__ GatheredSources gathered[kWarps];
  const RangeSums& work = shifts.ranges;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first =
      (first_block + blockIdx.x) * RangePolicy::kTargets + warp * 32 * kEach + lane;
  LaneTargets targets(work, first);
  double* const partial = work.partial + 4 * blockIdx.y * work.target_count + first;
  while (const unsigned waiting = __ballot_sync(kAllLanes, targets.any_waits())) {
    const Frame frame(work.lattice, waiting, targets);
    OwnShifts own(targets, scale);
    sum_group(
        work, frame,
        [&](int at, const double(&u)[3], double weight) {
          gathered[warp].put(at, u, weight, scale);
        },
        [&](int count) { own.add(gathered[warp], count); });
    const std::uint32_t beyond = blockIdx.y == 0 ? count_near(work, frame.box) : 0;
    for (int t = 0; t < kEach; ++t) {
      if (!targets.joins[t]) continue;
      for (int c = 0; c < 4; ++c) partial[c * work.target_count + t * 32] = own.sums[t][c];
      if (blockIdx.y == 0) shifts.beyond[first + t * 32] = static_cast<float>(beyond);
      targets.waits[t] = false;
    }
  }
}

__global__ void find_kernel(ShiftSums shifts, double scale, double error,
                            const std::uint32_t* indices, double* to, ShiftState* states) {
  const RangeSums& work = shifts.ranges;
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= work.target_count) return;
  double sums[4] = {0, 0, 0, 0};
  for (std::int32_t share = 0; share < work.shares; ++share)
    for (int c = 0; c < 4; ++c) sums[c] += work.partial[(4 * share + c) * work.target_count + k];
  // In radii; the ellipsoid's half widths are one radius.
  const double each = sums[0] > 0 ? 1 / (sums[0] * scale) : 0;
  const double u0 = each * sums[1], u1 = each * sums[2], u2 = each * sums[3];
  const Ellipsoid<double>& e = work.lattice.ellipsoid;
  const double z = u2 * e.sz, y = u1 * e.sy + e.bzy * z, x = u0 * e.sx + e.bxy * y + e.bxz * z;
  const std::uint32_t index = indices[k];
  to[3 * static_cast<std::int64_t>(index)] = x;
  to[3 * static_cast<std::int64_t>(index) + 1] = y;
  to[3 * static_cast<std::int64_t>(index) + 2] = z;
  // No kernel that is left out is larger than exp(-reach^2 / 2), nor farther off than it counts.
  const double dropped = static_cast<double>(shifts.sources - work.starts[work.lattice.cells()]);
  const double reach = shifts.reach, farthest = ShiftSums::kBeyond * reach;
  const double left_out = (shifts.beyond[k] + dropped) * exp(-0.5 * reach * reach) +
                          static_cast<double>(shifts.sources) * exp(-0.5 * farthest * farthest);
  const double shift = reach * sqrt(u0 * u0 + u1 * u1 + u2 * u2);
  constexpr double kFloatShare = 0.02;  // of the heaviest kernel; floats hold 5 digits then
  states[index] = (shift + farthest) * left_out > error * sums[0] ? ShiftState::farther
                  : sums[0] < kFloatShare                         ? ShiftState::unsure
                                                                  : ShiftState::found;
}

double scale_of(const ShiftSums& sums) { return sums.reach * std::sqrt(kHalfLog2e); }

}  // namespace

void sum_shifts(const ShiftSums& sums, std::int64_t first, std::int64_t blocks,
                cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(sums.ranges.shares));
  shift_kernel<<<grid, static_cast<unsigned>(kBlock), 0, stream>>>(sums, scale_of(sums), first);
  gpu::check_launch("sum mean shifts");
}

void find_shifts(const ShiftSums& sums, double error, const std::uint32_t* indices, double* shifts,
                 ShiftState* states, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((sums.ranges.target_count + kBlock - 1) / kBlock);
  find_kernel<<<blocks, kBlock, 0, stream>>>(sums, scale_of(sums), error, indices, shifts, states);
  gpu::check_launch("find mean shifts");
}

}  // namespace skde::kernels
