#include "gpu/check.hpp"
#include "kernels/ranges/point_ranges.hpp"
#include "kernels/ranges/target_groups.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = RangePolicy::kBlock;
constexpr int kWarps = kBlock / 32;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

/// The samples that a warp has gathered, as places in radii about the middle of a group. In float
/// the square is expanded, 1 - |y - x|^2 = (1 - |y|^2) - |x|^2 + 2 x y. That saves two operations
/// and loses few digits, because groups are small.
template <class Real>
struct Gathered {
  static constexpr bool kMultipliedOut = sizeof(Real) == 4;
  struct alignas(4 * sizeof(Real)) Place {
    Real x, y, z, room;
  };
  Place places[RangePolicy::kTogether];
  Real weights[RangePolicy::kTogether];

  __device__ void put(int at, const double (&u)[3], double weight) {
    const double room = 1 - (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const double factor = kMultipliedOut ? 2 : 1;
    places[at] = {static_cast<Real>(factor * u[0]), static_cast<Real>(factor * u[1]),
                  static_cast<Real>(factor * u[2]), static_cast<Real>(room)};
    weights[at] = static_cast<Real>(weight);
  }
};

template <class Real>
__device__ Real room_of(const typename Gathered<Real>::Place& sample, Real x, Real y, Real z,
                        Real square) {
  if constexpr (Gathered<Real>::kMultipliedOut) {
    return sample.room - square + sample.x * x + sample.y * y + sample.z * z;
  } else {
    const Real dx = sample.x - x, dy = sample.y - y, dz = sample.z - z;
    return 1 - (dx * dx + dy * dy + dz * dz);
  }
}

/// A lane's targets and their sums.
template <class Real>
struct OwnTargets {
  Real x[kEach], y[kEach], z[kEach], square[kEach];
  double sums[kEach];

  __device__ explicit OwnTargets(const LaneTargets& own) {
    for (int t = 0; t < kEach; ++t) {
      x[t] = static_cast<Real>(own.u[t][0]);
      y[t] = static_cast<Real>(own.u[t][1]);
      z[t] = static_cast<Real>(own.u[t][2]);
      square[t] = x[t] * x[t] + y[t] * y[t] + z[t] * z[t];
      sums[t] = 0;
    }
  }

  template <class Profile>
  __device__ void add(const Gathered<Real>& gathered, int count, const Profile& profile) {
    Real part[kEach] = {};
#pragma unroll 4
    for (int s = 0; s < count; ++s) {
      const auto sample = gathered.places[s];
      const Real weight = gathered.weights[s];
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const Real room = room_of<Real>(sample, x[t], y[t], z[t], square[t]);
        if constexpr (Profile::kDegree == kNoDegree)
          part[t] += weight * profile.value(1 - room);
        else
          part[t] += weight * profile.of_room(room);
      }
    }
    for (int t = 0; t < kEach; ++t) sums[t] += static_cast<double>(part[t]);
  }
};

/// Each warp sums at its own targets, one group at a time.
template <class Profile, class Real>
__global__ void __launch_bounds__(kBlock)
    sum_kernel(RangeSums work, Profile profile, std::int64_t first_block) {
  __shared__ Gathered<Real> gathered[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first = work.first_target(first_block + blockIdx.x) + warp * 32 * kEach + lane;
  LaneTargets targets(work, first);
  double* const partial = work.partial + blockIdx.y * work.target_count + first;
  while (const unsigned waiting = __ballot_sync(kAllLanes, targets.any_waits())) {
    const Frame frame(work.lattice, waiting, targets);
    OwnTargets<Real> own(targets);
    sum_group(
        work, frame,
        [&](int at, const double(&u)[3], double weight) { gathered[warp].put(at, u, weight); },
        [&](int count) { own.add(gathered[warp], count, profile); });
    for (int t = 0; t < kEach; ++t) {
      if (!targets.joins[t]) continue;
      partial[t * 32] = own.sums[t];
      targets.waits[t] = false;
    }
  }
}

__global__ void add_kernel(RangeSums work, const std::uint32_t* indices, double scale,
                           double* values) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= work.target_count || !work.has(k)) return;
  double sum = 0;
  for (std::int32_t share = 0; share < work.shares; ++share)
    sum += work.partial[share * work.target_count + k];
  values[indices[k]] += scale * sum;
}

}  // namespace

template <class Real>
void sum_ranges(const RangeSums& sums, const Kernel& kernel, std::int64_t first,
                std::int64_t blocks, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(sums.shares));
  with_profile(kernel, [&]<class Profile>(const Profile& profile) {
    if constexpr (!Profile::kSteep)  // the engine refuses those
      sum_kernel<Profile, Real>
          <<<grid, static_cast<unsigned>(kBlock), 0, stream>>>(sums, profile, first);
  });
  gpu::check_launch("sum ranges of samples");
}

void add_shares(const RangeSums& sums, const std::uint32_t* indices, double scale, double* values,
                cudaStream_t stream) {
  add_kernel<<<blocks_for(sums.target_count), kBlock, 0, stream>>>(sums, indices, scale, values);
  gpu::check_launch("add the shares");
}

template void sum_ranges<float>(const RangeSums&, const Kernel&, std::int64_t, std::int64_t,
                                cudaStream_t);
template void sum_ranges<double>(const RangeSums&, const Kernel&, std::int64_t, std::int64_t,
                                 cudaStream_t);

}  // namespace skde::kernels
