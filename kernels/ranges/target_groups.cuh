#pragma once

#include <cstdint>

#include "kernels/ranges/point_ranges.hpp"
#include "kernels/ranges/warp_ranges.cuh"

/// Groups of a warp's targets, and the sorted samples within reach of a group.
namespace skde::kernels {

inline constexpr int kEach = RangePolicy::kEach;

/// A box in radii.
struct BallBox {
  double lower[3], upper[3];
};

/// Returns the bounding box of all lanes' boxes, in every lane.
__device__ inline BallBox warp_box(BallBox box) {
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
__device__ inline double gap(const BallLattice& lattice, const BallBox& box, int axis,
                             std::int32_t cell) {
  const double from = lattice.lower[axis] + lattice.edge * cell;
  return fmax(0.0, fmax(from - box.upper[axis], box.lower[axis] - from - lattice.edge));
}

/// The rows of cells along x that hold a warp's targets or lie within `reach` radii of them,
/// numbered.
struct CellRows {
  std::int32_t first_y, rows_y, first_z, count;

  double reach;

  __device__ CellRows(const BallLattice& lattice, const BallBox& box, double radii = 1)
      : reach(radii) {
    first_y = lattice.along(1, box.lower[1] - reach);
    rows_y = lattice.along(1, box.upper[1] + reach) - first_y + 1;
    first_z = lattice.along(2, box.lower[2] - reach);
    count = (lattice.along(2, box.upper[2] + reach) - first_z + 1) * rows_y;
  }
};

/// Returns the samples of a row that are within reach of the box.
__device__ inline CandidateRange range_of(const RangeSums& work, const BallBox& box,
                                          const CellRows& rows, std::int32_t row) {
  const BallLattice& lattice = work.lattice;
  const std::int32_t y = rows.first_y + row % rows.rows_y, z = rows.first_z + row / rows.rows_y;
  const double dy = gap(lattice, box, 1, y), dz = gap(lattice, box, 2, z);
  const double left = rows.reach * rows.reach - dy * dy - dz * dz;
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

  /// Loads every 32nd sorted target from `first` on.
  __device__ LaneTargets(const RangeSums& work, std::int64_t first) {
    for (int t = 0; t < kEach; ++t) {
      waits[t] = first + t * 32 < work.target_count;
      point[t] = waits[t] ? work.targets[first + t * 32] : PointInWorld{};
    }
  }
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

/// Sums a share of the rows at the targets of a group: calls put(at, u, weight) for samples that
/// reach the group's box, and add(count) for every `count` of these. Lanes whose targets are not in
/// the group compute sums that are discarded.
template <class Put, class Add>
__device__ void sum_group(const RangeSums& work, const Frame& frame, const Put& put,
                          const Add& add) {
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
      if (reaches) put(count + __popc(lanes & ((1u << lane) - 1)), u, weight);
      count += __popc(lanes);
      __syncwarp();
      if (count + 32 > RangePolicy::kTogether) {
        add(count);
        count = 0;
        __syncwarp();
      }
    }
  }
  add(count);
  __syncwarp();  // before the next samples are gathered
}

}  // namespace skde::kernels
