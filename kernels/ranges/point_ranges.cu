#include "gpu/check.hpp"
#include "kernels/ranges/point_ranges.hpp"
#include "kernels/ranges/warp_ranges.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = RangePolicy::kBlock, kEach = RangePolicy::kEach;
constexpr int kWarps = kBlock / 32;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

/// A box in radii.
struct BallBox {
  double lower[3], upper[3];
};

/// Returns the bounding box of all lanes' boxes, in every lane.
__device__ BallBox warp_box(BallBox box) {
  for (int distance = 16; distance > 0; distance /= 2)
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] =
          fmin(box.lower[axis], __shfl_xor_sync(kAllLanes, box.lower[axis], distance));
      box.upper[axis] =
          fmax(box.upper[axis], __shfl_xor_sync(kAllLanes, box.upper[axis], distance));
    }
  return box;
}

/// Returns the distance from the box to cell `cell` along an axis.
__device__ double gap(const BallLattice& lattice, const BallBox& box, int axis, std::int32_t cell) {
  const double from = lattice.lower[axis] + lattice.edge * cell;
  return fmax(0.0, fmax(from - box.upper[axis], box.lower[axis] - from - lattice.edge));
}

/// The rows of cells along x that hold a warp's targets or lie within reach of them, numbered.
struct CellRows {
  std::int32_t first_y, rows_y, first_z, count;

  __device__ CellRows(const BallLattice& lattice, const BallBox& box) {
    first_y = lattice.along(1, box.lower[1] - 1);
    rows_y = lattice.along(1, box.upper[1] + 1) - first_y + 1;
    first_z = lattice.along(2, box.lower[2] - 1);
    count = (lattice.along(2, box.upper[2] + 1) - first_z + 1) * rows_y;
  }
};

/// Returns the samples of a row that are within reach of the box.
__device__ CandidateRange range_of(const RangeSums& work, const BallBox& box, const CellRows& rows,
                                   std::int32_t row) {
  const BallLattice& lattice = work.lattice;
  const std::int32_t y = rows.first_y + row % rows.rows_y, z = rows.first_z + row / rows.rows_y;
  const double dy = gap(lattice, box, 1, y), dz = gap(lattice, box, 2, z);
  const double left = 1 - dy * dy - dz * dz;
  if (left < 0) return {0, 0};
  const double reach = sqrt(left);
  const std::int64_t before =
      (static_cast<std::int64_t>(z) * lattice.counts[1] + y) * lattice.counts[0];
  const std::uint32_t begin = work.starts[before + lattice.along(0, box.lower[0] - reach)];
  return {begin, work.starts[before + lattice.along(0, box.upper[0] + reach) + 1] - begin};
}

/// A lane's targets: their places in radii, which of them are still to be summed, and which of them
/// join the current group.
struct LaneTargets {
  PointInWorld point[kEach];
  double u[kEach][3];
  bool waits[kEach], joins[kEach];

  __device__ bool any_waits() const {
    bool any = false;
    for (const bool one : waits) any = any || one;
    return any;
  }
  __device__ PointInWorld first_waiting() const {
    PointInWorld first = point[0];
    for (int t = kEach - 1; t >= 0; --t)
      if (waits[t]) first = point[t];
    return first;
  }
};

/// A group of a warp's targets: those near the first one that waits. Its frame is in radii about
/// the middle of its box. Points sorted along the curve are close together, except at its jumps.
struct Frame {
  double origin[3];  ///< the first target, in world units
  double middle[3];  ///< of the box, in radii from the origin
  double half[3];    ///< half extents of the box, in radii
  BallBox box;       ///< in the lattice's radii, with room for rounding

  __device__ Frame(const BallLattice& lattice, unsigned waiting, LaneTargets& own) {
    const PointInWorld first = own.first_waiting();
    const int leader = __ffs(static_cast<int>(waiting)) - 1;
    origin[0] = __shfl_sync(kAllLanes, first.x, leader);
    origin[1] = __shfl_sync(kAllLanes, first.y, leader);
    origin[2] = __shfl_sync(kAllLanes, first.z, leader);
    BallBox near{{0, 0, 0}, {0, 0, 0}};
    for (int t = 0; t < kEach; ++t) {
      double(&u)[3] = own.u[t];
      place(lattice, own.point[t], u);
      own.joins[t] =
          own.waits[t] && fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2]))) <= RangePolicy::kNear;
      for (int axis = 0; axis < 3 && own.joins[t]; ++axis) {
        near.lower[axis] = fmin(near.lower[axis], u[axis]);
        near.upper[axis] = fmax(near.upper[axis], u[axis]);
      }
    }
    near = warp_box(near);
    double from[3];
    lattice.place(origin, from);
    for (int axis = 0; axis < 3; ++axis) {
      middle[axis] = 0.5 * (near.lower[axis] + near.upper[axis]);
      half[axis] = 0.5 * (near.upper[axis] - near.lower[axis]);
      const double room = kRoom * (1 + fabs(from[axis]));
      box.lower[axis] = from[axis] + near.lower[axis] - room;
      box.upper[axis] = from[axis] + near.upper[axis] + room;
      for (int t = 0; t < kEach; ++t) own.u[t][axis] -= middle[axis];
    }
  }

  /// Computes a place relative to the nearby origin. It is exact to the last digits, however far
  /// away the world's origin is.
  __device__ void place(const BallLattice& lattice, const PointInWorld& point,
                        double (&u)[3]) const {
    lattice.turn(point.x - origin[0], point.y - origin[1], point.z - origin[2], u);
  }
  /// Computes a sample's place about the middle; returns true if it is within reach of the box.
  __device__ bool reaches(const BallLattice& lattice, const PointInWorld& sample,
                          double (&u)[3]) const {
    place(lattice, sample, u);
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      u[axis] -= middle[axis];
      const double beyond = fmax(0.0, fabs(u[axis]) - half[axis]);
      square += beyond * beyond;
    }
    return square < 1;
  }

 private:
  static constexpr double kRoom = 1e-9;
};

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

/// Sums a share of the rows at the targets of a group. Lanes whose targets are not in the group
/// compute sums that are discarded.
template <class Profile, class Real>
__device__ void sum_group(const RangeSums& work, const Profile& profile, const Frame& frame,
                          Gathered<Real>& gathered, OwnTargets<Real>& own) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const CellRows rows(work.lattice, frame.box);
  const auto row_of = [&](std::int64_t share) {
    return static_cast<std::int32_t>(share * rows.count / work.shares);
  };
  const std::int32_t last_row = row_of(blockIdx.y + std::int64_t{1});
  int count = 0;  // samples gathered
  for (std::int32_t base = row_of(blockIdx.y); base < last_row; base += 32) {
    const std::int32_t row = base + lane;
    const WarpRanges ranges(row < last_row ? range_of(work, frame.box, rows, row)
                                           : CandidateRange{});
    const std::uint32_t total = ranges.total();
    for (std::uint32_t c = 0; c < total; c += 32) {
      const std::uint32_t i = c + static_cast<std::uint32_t>(lane);
      const std::uint32_t at = ranges.sample(min(i, total - 1));
      bool reaches = false;
      double u[3], weight = 0;
      if (i < total) {
        const PointInWorld sample = work.samples[at];
        weight = sample.weight;
        reaches = frame.reaches(work.lattice, sample, u);
      }
      const unsigned lanes = __ballot_sync(kAllLanes, reaches);
      if (reaches) gathered.put(count + __popc(lanes & ((1u << lane) - 1)), u, weight);
      count += __popc(lanes);
      __syncwarp();
      if (count + 32 > RangePolicy::kTogether) {
        own.add(gathered, count, profile);
        count = 0;
        __syncwarp();
      }
    }
  }
  own.add(gathered, count, profile);
  __syncwarp();  // before the next samples are gathered
}

/// Each warp sums at its own targets, one group at a time.
template <class Profile, class Real>
__global__ void __launch_bounds__(kBlock)
    sum_kernel(RangeSums work, Profile profile, std::int64_t first_block) {
  __shared__ Gathered<Real> gathered[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first =
      (first_block + blockIdx.x) * RangePolicy::kTargets + warp * 32 * kEach + lane;
  LaneTargets targets;
  for (int t = 0; t < kEach; ++t) {
    targets.waits[t] = first + t * 32 < work.target_count;
    targets.point[t] = targets.waits[t] ? work.targets[first + t * 32] : PointInWorld{};
  }
  double* const partial = work.partial + blockIdx.y * work.target_count + first;
  while (const unsigned waiting = __ballot_sync(kAllLanes, targets.any_waits())) {
    const Frame frame(work.lattice, waiting, targets);
    OwnTargets<Real> own(targets);
    sum_group(work, profile, frame, gathered[warp], own);
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
  if (k >= work.target_count) return;
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
