#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/check.hpp"
#include "kernels/tile/warp_tile_ranges.cuh"
#include "kernels/tile/warp_tile_rows.cuh"

/// The sums of the tiles; compiled separately for each precision.
namespace skde::kernels {

inline constexpr int kTileBlock = 128;
/// Size of a warp's queue of kernels to sum. It is summed as soon as it cannot take another 32.
inline constexpr int kTileQueue = 64;

/// Half lengths of a tile, from the first centre to the last.
inline constexpr float kHalfTileX = 0.5f * (kWarpTileX - 1), kHalfTileY = 0.5f * (kWarpTileY - 1),
                       kHalfTileZ = 0.5f * (kWarpTileZ - 1);

/// A sample relative to a tile's centre, in cells.
template <class Real>
struct LocalSample {
  Real x, y, z, height;
};

template <class Real>
__device__ LocalSample<Real> local_sample(const WarpTilePlan& plan, const WarpTileSamples& samples,
                                          std::uint32_t i, const TilePlace& tile) {
  if (std::is_same_v<Real, float> && samples.fixed) {
    const WeightedFixedSample s = samples.fixed[i];
    const auto along = [&](std::int32_t position, std::int32_t first, int cells, int axis) {
      const int bits = plan.fraction[axis];
      const std::uint32_t centre = static_cast<std::uint32_t>(2 * first + cells - 1) << (bits - 1);
      const auto distance =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(position) - centre);
      return Real(distance) * (Real(1) / Real(1 << bits));
    };
    return {along(s.x, tile.x, kWarpTileX, 0), along(s.y, tile.y, kWarpTileY, 1),
            along(s.z, tile.z, kWarpTileZ, 2), Real(s.height)};
  }
  const PreciseSample s = samples.precise[i];
  return {Real(s.x - (tile.x + 0.5 * (kWarpTileX - 1))),
          Real(s.y - (tile.y + 0.5 * (kWarpTileY - 1))),
          Real(s.z - (tile.z + 0.5 * (kWarpTileZ - 1))), Real(s.weight)};
}

/// Coordinates in which the kernel's ellipsoid is the unit ball.
template <class Real>
struct BallPoint {
  Real u0, u1, u2;
};

template <class Real>
__device__ __forceinline__ BallPoint<Real> in_ball(const EllipsoidFactors<Real>& e, Real x, Real y,
                                                   Real z) {
  return {(x - e.bxy * y - e.bxz * z) * e.inv_sx, (y - e.bzy * z) * e.inv_sy, z * e.inv_sz};
}

/// Returns the half extents of a tile in these coordinates.
template <class Real>
__device__ BallPoint<Real> tile_in_ball(const EllipsoidFactors<Real>& e) {
  const Real x = kHalfTileX, y = kHalfTileY, z = kHalfTileZ;
  return {(x + fabs(e.bxy) * y + fabs(e.bxz) * z) * e.inv_sx, (y + fabs(e.bzy) * z) * e.inv_sy,
          z * e.inv_sz};
}

/// Returns whether a kernel may reach a tile whose centre lies at `at` relative to it. It uses a
/// lower bound of q over the tile's bounding box in the ball's coordinates.
template <class Real>
__device__ bool may_reach(const BallPoint<Real>& at, const BallPoint<Real>& half) {
  constexpr Real kRounding = Real(1.0001);
  const Real m0 = fmax(fabs(at.u0) - half.u0, Real(0)), m1 = fmax(fabs(at.u1) - half.u1, Real(0)),
             m2 = fmax(fabs(at.u2) - half.u2, Real(0));
  return m0 * m0 + m1 * m1 + m2 * m2 < kRounding;
}

template <class Real>
__device__ EllipsoidFactors<Real> own_factors(const WarpTileSamples& samples, std::uint32_t i) {
  if constexpr (std::is_same_v<Real, float>)
    return samples.factors[i];
  else
    return samples.wide_factors[i];
}

/// The common kernel. Positions are transformed to the ball's coordinates when samples are culled,
/// so that a lane only subtracts its own position.
template <class Real>
struct CommonShape {
  struct alignas(4 * sizeof(Real)) Waiting {
    Real u0, u1, u2, height;
  };
  EllipsoidFactors<Real> factors;
  BallPoint<Real> half, lane;
  RowRecurrence<Real> recurrence;

  template <class Profile>
  __device__ CommonShape(const WarpTilePlan& plan, const Profile& profile, Real x, Real y, Real z) {
    const Ellipsoid<double>& e = plan.ellipsoid;
    factors = {Real(e.inv_sx), Real(e.inv_sy), Real(e.inv_sz),
               Real(e.bxy),    Real(e.bxz),    Real(e.bzy)};
    half = tile_in_ball(factors);
    lane = in_ball(factors, x, y, z);
    if constexpr (kIsExponential<Profile>)
      recurrence = RowRecurrence<Real>(Real(profile.rate), factors.inv_sx, half.u0);
  }
  template <class Profile>
  __device__ bool reaches(const WarpTileSamples& /*samples*/, std::uint32_t /*i*/,
                          const LocalSample<Real>& s, const Profile& /*profile*/,
                          Waiting& waiting) const {
    const BallPoint<Real> at = in_ball(factors, s.x, s.y, s.z);
    waiting = {at.u0, at.u1, at.u2, s.height};
    return may_reach(at, half);
  }
  template <class Profile>
  __device__ void add(LaneSums<Real>& sums, const Waiting& w, const Profile& profile) const {
    const Real u1 = lane.u1 - w.u1, u2 = lane.u2 - w.u2;
    const Real u0 = lane.u0 - w.u0, rest = fma(u1, u1, u2 * u2);
    if constexpr (kIsExponential<Profile>)
      if (recurrence.holds)
        return add_row_by_recurrence(sums.part, u0, factors.inv_sx, rest, w.height, profile,
                                     recurrence.ratio);
    add_row(sums.part, u0, factors.inv_sx, rest, w.height, profile);
  }
};

/// A kernel for each sample.
template <class Real>
struct OwnShape {
  struct alignas(4 * sizeof(Real)) Waiting {
    LocalSample<Real> sample;
    EllipsoidFactors<Real> factors;
    RowRecurrence<Real> recurrence;
  };
  Real x, y, z, rate = 0;

  template <class Profile>
  __device__ OwnShape(const WarpTilePlan& /*plan*/, const Profile& profile, Real lane_x,
                      Real lane_y, Real lane_z)
      : x(lane_x), y(lane_y), z(lane_z) {
    if constexpr (kIsExponential<Profile>) rate = Real(profile.rate);
  }
  template <class Profile>
  __device__ bool reaches(const WarpTileSamples& samples, std::uint32_t i,
                          const LocalSample<Real>& s, const Profile& /*profile*/,
                          Waiting& waiting) const {
    waiting.sample = s;
    waiting.factors = own_factors<Real>(samples, i);
    const BallPoint<Real> half = tile_in_ball(waiting.factors);
    if (rate > Real(0))
      waiting.recurrence = RowRecurrence<Real>(rate, waiting.factors.inv_sx, half.u0);
    return may_reach(in_ball(waiting.factors, s.x, s.y, s.z), half);
  }
  template <class Profile>
  __device__ void add(LaneSums<Real>& sums, const Waiting& w, const Profile& profile) const {
    const BallPoint<Real> at = in_ball(w.factors, x - w.sample.x, y - w.sample.y, z - w.sample.z);
    const Real rest = fma(at.u1, at.u1, at.u2 * at.u2);
    if constexpr (kIsExponential<Profile>)
      if (w.recurrence.holds)
        return add_row_by_recurrence(sums.part, at.u0, w.factors.inv_sx, rest, w.sample.height,
                                     profile, w.recurrence.ratio);
    add_row(sums.part, at.u0, w.factors.inv_sx, rest, w.sample.height, profile);
  }
};

/// The row of a tile that a lane owns.
struct LanePlace {
  int y, z;
};

__device__ inline LanePlace lane_place() {
  const int lane = threadIdx.x % 32;
  return {lane % kWarpTileY, lane / kWarpTileY};
}

/// Adds values to the part of a row of the volume that lies in the grid.
template <class Value, class Sums>
__device__ void add_to_volume(Value* volume, std::int32_t first_slice, const WarpTilePlan& plan,
                              const TilePlace& tile, const Sums& sums) {
  const LanePlace place = lane_place();
  const std::int32_t x = tile.x, y = tile.y + place.y, z = tile.z + place.z;
  if (y >= plan.dims[1] || z >= plan.dims[2]) return;
  Value* const row =
      volume + (static_cast<std::int64_t>(z - first_slice) * plan.dims[1] + y) * plan.dims[0] + x;
  if (x + kLaneCells <= plan.dims[0] && plan.dims[0] % 4 == 0) {
    struct alignas(16) Sixteen {  // bytes
      Value of[16 / sizeof(Value)];
    };
    constexpr int kOnce = 16 / sizeof(Value);
#pragma unroll
    for (int k = 0; k < kLaneCells; k += kOnce) {
      Sixteen& to = *reinterpret_cast<Sixteen*>(row + k);
      Sixteen cells = to;
#pragma unroll
      for (int i = 0; i < kOnce; ++i) cells.of[i] += static_cast<Value>(sums.value(k + i));
      to = cells;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kLaneCells; ++k)
    if (x + k < plan.dims[0]) row[k] += static_cast<Value>(sums.value(k));
}

template <class Sums>
__device__ void write_tile(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                           const TilePlace& tile, const Sums& sums) {
  if (arrays.floats)
    add_to_volume(arrays.floats, arrays.first_slice, plan, tile, sums);
  else
    add_to_volume(arrays.doubles, arrays.first_slice, plan, tile, sums);
}

/// Stores the sums of one item of a shared tile. The warp that finishes last adds the sums of all
/// items in their order and writes the tile.
template <class Real>
__device__ void write_shared(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                             const TileItem& item, const TilePlace& tile,
                             const LaneSums<Real>& sums) {
  const int lane = threadIdx.x % 32;
  double* const all = arrays.shared + std::int64_t{item.slot} * kWarpTileCells + lane;
#pragma unroll
  for (int k = 0; k < kLaneCells; ++k)
    all[std::int64_t{item.number} * kWarpTileCells + 32 * k] = sums.value(k);
  __threadfence();
  __syncwarp();
  std::uint32_t before = 0;
  if (lane == 0) before = atomicAdd(arrays.done + item.tile, 1u);
  if (__shfl_sync(kAllLanes, before, 0) + 1 < item.items) return;
  __threadfence();
  LaneSums<double> total;
  for (std::uint32_t i = 0; i < item.items; ++i)
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k)
      total.part[k] += __ldcg(all + std::int64_t{i} * kWarpTileCells + 32 * k);
  write_tile(plan, arrays, tile, total);
}

/// Sums the kernels that reach a warp's tile: finds them 32 candidates at a time and queues them.
template <class Real, class Shape, class Profile>
class TileSummer {
 public:
  using Waiting = typename Shape::Waiting;

  __device__ TileSummer(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                        const Profile& profile, const Shape& shape, Waiting* queue,
                        const TilePlace& tile)
      : plan_(plan),
        arrays_(arrays),
        profile_(profile),
        shape_(shape),
        queue_(queue),
        tile_(tile) {}

  /// Adds candidates [first, last) of the tile.
  __device__ void add(std::uint32_t first, std::uint32_t last) {
    std::uint32_t before = 0;
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < plan_.classes; ++k) {
      const CandidateRows rows = candidate_rows(plan_, k, arrays_.reach, tile_);
      for (int row = 0; row < rows.count() && before < last; row += 32) {
        const WarpRanges ranges(range_at(plan_.reach_class[k], rows, arrays_.starts, row + lane));
        const std::uint32_t total = ranges.total();
        if (before + total > first)
          add_ranges(ranges, first > before ? first - before : 0, min(last - before, total));
        before += total;
      }
    }
    add_waiting();
  }
  __device__ const LaneSums<Real>& sums() const { return sums_; }

 private:
  __device__ void add_ranges(const WarpRanges& ranges, std::uint32_t first, std::uint32_t last) {
    const int lane = threadIdx.x % 32;
    for (std::uint32_t base = first; base < last; base += 32) {
      const std::uint32_t number = base + lane, sample = ranges.sample(min(number, last - 1));
      Waiting own;
      const bool reaches =
          number < last &&
          shape_.reaches(arrays_.samples, sample,
                         local_sample<Real>(plan_, arrays_.samples, sample, tile_), profile_, own);
      const unsigned found = __ballot_sync(kAllLanes, reaches);
      if (reaches) queue_[waiting_ + __popc(found & ((1u << lane) - 1))] = own;
      waiting_ += __popc(found);
      if (waiting_ > kTileQueue - 32) add_waiting();
    }
  }

  __device__ void add_waiting() {
    __syncwarp();
#pragma unroll 2
    for (int i = 0; i < waiting_; ++i) shape_.add(sums_, queue_[i], profile_);
    sums_.fold();
    waiting_ = 0;
    __syncwarp();
  }

  const WarpTilePlan& plan_;
  const WarpTileArrays& arrays_;
  const Profile& profile_;
  const Shape& shape_;
  Waiting* queue_;
  TilePlace tile_;
  int waiting_ = 0;
  LaneSums<Real> sums_;
};

template <class Real, class Shape, class Profile>
__global__ void __launch_bounds__(kTileBlock)
    tile_kernel(const __grid_constant__ WarpTilePlan plan,
                const __grid_constant__ WarpTileArrays arrays,
                const __grid_constant__ Profile profile, std::int64_t first_tile) {
  using Waiting = typename Shape::Waiting;
  __shared__ unsigned char memory[kTileBlock / 32 * kTileQueue * sizeof(Waiting)]
      __attribute__((aligned(alignof(Waiting))));
  Waiting* const queue = reinterpret_cast<Waiting*>(memory) + threadIdx.x / 32 * kTileQueue;
  const LanePlace place = lane_place();
  const Shape shape(plan, profile, -Real(kHalfTileX), Real(place.y) - Real(kHalfTileY),
                    Real(place.z) - Real(kHalfTileZ));
  const std::uint32_t items = arrays.counters->items,
                      size = candidates_of_item(arrays.counters->candidates);
  for (;;) {
    std::uint32_t next = 0;
    if (threadIdx.x % 32 == 0) next = atomicAdd(&arrays.counters->begun, 1u);
    next = __shfl_sync(kAllLanes, next, 0);
    if (next >= items) return;
    const TileItem item = arrays.items[next];
    const TilePlace tile = plan.tile_at(first_tile + item.tile);
    TileSummer<Real, Shape, Profile> summer(plan, arrays, profile, shape, queue, tile);
    summer.add(item.number * size, min((item.number + 1) * size, arrays.candidates[item.tile]));
    if (item.items == 1)
      write_tile(plan, arrays, tile, summer.sums());
    else
      write_shared(plan, arrays, item, tile, summer.sums());
  }
}

template <class Real, class Shape, class Profile>
void launch_tiles(const WarpTilePlan& plan, const Profile& profile, const WarpTileArrays& arrays,
                  TileWindow window, int multiprocessors, cudaStream_t stream) {
  constexpr auto kKernel = tile_kernel<Real, Shape, Profile>;
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kKernel, kTileBlock, 0),
             "size the sums of tiles");
  const auto blocks = static_cast<unsigned>(std::max(1, resident * multiprocessors));
  kKernel<<<blocks, kTileBlock, 0, stream>>>(plan, arrays, profile, window.first);
  gpu::check_launch("sum the tiles");
}

}  // namespace skde::kernels
