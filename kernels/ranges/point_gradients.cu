#include "gpu/check.hpp"
#include "kernels/ranges/point_ranges.hpp"
#include "kernels/ranges/target_groups.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = RangePolicy::kBlock, kWarps = kBlock / 32, kAxes = 3;

/// A sample that a warp has gathered, in radii about the middle of a group.
struct alignas(32) GatheredSample {
  double x, y, z, weight;
};

/// A lane's targets, and the sums of w s(|d|^2) d, where d is target minus sample and s is the
/// slope.
struct OwnGradients {
  double sums[kEach][kAxes] = {};

  template <class Profile>
  __device__ void add(const LaneTargets& own, const GatheredSample* gathered, int count,
                      const Profile& slope) {
    for (int s = 0; s < count; ++s) {
      const GatheredSample sample = gathered[s];
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const double(&u)[kAxes] = own.u[t];
        const double dx = u[0] - sample.x, dy = u[1] - sample.y, dz = u[2] - sample.z;
        const double k = sample.weight * slope.value(dx * dx + dy * dy + dz * dz);
        sums[t][0] += k * dx;
        sums[t][1] += k * dy;
        sums[t][2] += k * dz;
      }
    }
  }
};

/// Each warp sums at its own targets, one group at a time.
template <class Profile>
__global__ void __launch_bounds__(kBlock)
    gradient_kernel(RangeSums work, Profile slope, std::int64_t first_block) {
  __shared__ GatheredSample gathered[kWarps][RangePolicy::kTogether];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first = work.first_target(first_block + blockIdx.x) + warp * 32 * kEach + lane;
  LaneTargets targets(work, first);
  double* const partial = work.partial + kAxes * blockIdx.y * work.target_count + first;
  while (const unsigned waiting = __ballot_sync(kAllLanes, targets.any_waits())) {
    const Frame frame(work.lattice, waiting, targets);
    OwnGradients own;
    sum_group(
        work, frame,
        [&](int at, const double(&u)[3], double weight) {
          gathered[warp][at] = {u[0], u[1], u[2], weight};
        },
        [&](int count) { own.add(targets, gathered[warp], count, slope); });
    for (int t = 0; t < kEach; ++t) {
      if (!targets.joins[t]) continue;
      for (int axis = 0; axis < kAxes; ++axis)
        partial[axis * work.target_count + t * 32] = own.sums[t][axis];
      targets.waits[t] = false;
    }
  }
}

/// The gradient in world units is U^T times that in radii, where U = BallLattice::turn().
__global__ void find_kernel(RangeSums work, const std::uint32_t* indices, double scale,
                            double* gradients) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= work.target_count || !work.has(k)) return;
  double g[kAxes] = {0, 0, 0};
  for (std::int32_t share = 0; share < work.shares; ++share)
    for (int axis = 0; axis < kAxes; ++axis)
      g[axis] += scale * work.partial[(kAxes * share + axis) * work.target_count + k];
  const Ellipsoid<double>& e = work.lattice.ellipsoid;
  const double x = g[0] * e.inv_sx, y = g[1] * e.inv_sy;
  double* const to = gradients + kAxes * static_cast<std::int64_t>(indices[k]);
  to[0] = x;
  to[1] = y - e.bxy * x;
  to[2] = g[2] * e.inv_sz - e.bzy * y - e.bxz * x;
}

}  // namespace

void sum_gradients(const RangeSums& sums, const KernelSlope& slope, double cut, std::int64_t first,
                   std::int64_t blocks, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(sums.shares));
  with_profile(slope.function, cut, [&](const auto& profile) {
    gradient_kernel<<<grid, static_cast<unsigned>(kBlock), 0, stream>>>(sums, profile, first);
  });
  gpu::check_launch("sum gradients of kernels");
}

void find_gradients(const RangeSums& sums, const std::uint32_t* indices, double scale,
                    double* gradients, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((sums.target_count + kBlock - 1) / kBlock);
  find_kernel<<<blocks, kBlock, 0, stream>>>(sums, indices, scale, gradients);
  gpu::check_launch("find gradients");
}

}  // namespace skde::kernels
