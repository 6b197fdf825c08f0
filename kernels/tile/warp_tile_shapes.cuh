#pragma once

#include <type_traits>

#include "kernels/tile/warp_tile_order.hpp"
#include "kernels/tile/warp_tile_rows.cuh"

/// Kernels in the blocks of tiles that they reach: the common one, or a sample's own.
namespace skde::kernels {

/// Half lengths of a tile, from the first centre to the last.
inline constexpr float kHalfTileX = 0.5f * (kWarpTileX - 1), kHalfTileY = 0.5f * (kWarpTileY - 1),
                       kHalfTileZ = 0.5f * (kWarpTileZ - 1);

/// The row of a tile that a lane owns.
struct LanePlace {
  int y, z;
};

__device__ inline LanePlace lane_place() {
  const int lane = threadIdx.x % 32;
  return {lane % kWarpTileY, lane / kWarpTileY};
}

/// Places relative to the centre of a block of tiles, in cells.
template <class Real, TileBlock kBlock>
struct BlockFrame {
  static constexpr int kCellsX = kBlock.x * kWarpTileX, kCellsY = kBlock.y * kWarpTileY;
  /// Half lengths of the block, from the first centre to the last.
  static constexpr Real kHalfX = Real(kCellsX - 1) / 2, kHalfY = Real(kCellsY - 1) / 2;
  Real tile_x, tile_y;  ///< the centre of the warp's tile
  Real x, y, z;         ///< the first cell of the lane

  __device__ explicit BlockFrame(int tile)
      : tile_x(Real(tile % kBlock.x * kWarpTileX) + Real(kHalfTileX) - kHalfX),
        tile_y(Real(tile / kBlock.x * kWarpTileY) + Real(kHalfTileY) - kHalfY),
        x(tile_x - Real(kHalfTileX)),
        y(tile_y + Real(lane_place().y) - Real(kHalfTileY)),
        z(Real(lane_place().z) - Real(kHalfTileZ)) {}
};

/// A sample relative to a block's centre, in cells.
template <class Real>
struct LocalSample {
  Real x, y, z, height;
};

template <class Real, TileBlock kBlock>
__device__ LocalSample<Real> local_sample(const WarpTilePlan& plan, const WarpTileSamples& samples,
                                          std::uint32_t i, const TilePlace& block) {
  using Frame = BlockFrame<Real, kBlock>;
  if (std::is_same_v<Real, float> && samples.fixed) {
    const WeightedFixedSample s = samples.fixed[i];
    const auto along = [&](std::int32_t position, std::int32_t first, int cells, int axis) {
      const int bits = plan.fraction[axis];
      const std::uint32_t centre = static_cast<std::uint32_t>(2 * first + cells - 1) << (bits - 1);
      const auto distance =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(position) - centre);
      return Real(distance) * (Real(1) / Real(1 << bits));
    };
    return {along(s.x, block.x, Frame::kCellsX, 0), along(s.y, block.y, Frame::kCellsY, 1),
            along(s.z, block.z, kWarpTileZ, 2), Real(s.height)};
  }
  const PreciseSample s = samples.precise[i];
  return {Real(s.x - (block.x + 0.5 * (Frame::kCellsX - 1))),
          Real(s.y - (block.y + 0.5 * (Frame::kCellsY - 1))),
          Real(s.z - (block.z + 0.5 * (kWarpTileZ - 1))), Real(s.weight)};
}

/// Coordinates in which the kernel's ellipsoid is a ball.
template <class Real>
struct BallPoint {
  Real u0, u1, u2;
};

template <class Real>
__device__ __forceinline__ BallPoint<Real> in_ball(const EllipsoidFactors<Real>& e, Real x, Real y,
                                                   Real z) {
  return {(x - e.bxy * y - e.bxz * z) * e.inv_sx, (y - e.bzy * z) * e.inv_sy, z * e.inv_sz};
}

/// Returns the half extents, in these coordinates, of a box of half lengths x, y and those of a
/// tile along z.
template <class Real>
__device__ BallPoint<Real> half_in_ball(const EllipsoidFactors<Real>& e, Real x = kHalfTileX,
                                        Real y = kHalfTileY) {
  const Real z = kHalfTileZ;
  return {(x + fabs(e.bxy) * y + fabs(e.bxz) * z) * e.inv_sx, (y + fabs(e.bzy) * z) * e.inv_sy,
          z * e.inv_sz};
}

/// Returns whether a kernel may reach a box whose centre lies at `at` relative to it. It uses a
/// lower bound of q over the box's own bounding box in the ball's coordinates.
template <class Real>
__device__ bool may_reach(const BallPoint<Real>& at, const BallPoint<Real>& half, Real radius) {
  constexpr Real kRounding = Real(1.0001);
  const Real m0 = fmax(fabs(at.u0) - half.u0, Real(0)), m1 = fmax(fabs(at.u1) - half.u1, Real(0)),
             m2 = fmax(fabs(at.u2) - half.u2, Real(0));
  return m0 * m0 + m1 * m1 + m2 * m2 < kRounding * (radius * radius);
}

/// Scales coordinates to a ball of this radius.
template <class Real>
__device__ void scale_to(Real radius, EllipsoidFactors<Real>& e) {
  e.inv_sx *= radius;
  e.inv_sy *= radius;
  e.inv_sz *= radius;
}

template <class Real>
__device__ EllipsoidFactors<Real> own_factors(const WarpTileSamples& samples, std::uint32_t i) {
  if constexpr (std::is_same_v<Real, float>)
    return samples.factors[i];
  else
    return samples.wide_factors[i];
}

/// The common kernel; if `kEqual`, of height 1 for all samples. Positions are transformed to the
/// ball's coordinates when samples are culled, so that a lane only subtracts its own position.
template <class Real, bool kEqual>
struct CommonShape {
  static constexpr TileBlock kBlock = kCommonBlock;
  static constexpr bool kScaled = kEqual;  ///< whether sums are to be multiplied by the height
  /// Least blocks of threads on a multiprocessor.
  static constexpr int kResident = std::is_same_v<Real, float> ? 5 : 1;
  using Frame = BlockFrame<Real, kBlock>;
  struct alignas(4 * sizeof(Real)) Waiting {
    Real u0, u1, u2, height;
  };
  EllipsoidFactors<Real> factors;
  Real radius;
  BallPoint<Real> block_half, half, tile, lane;
  RowRecurrence<Real> recurrence;

  template <class Profile>
  __device__ CommonShape(const WarpTilePlan& plan, const Profile& profile, const Frame& frame)
      : radius(ball_radius<Real>(profile)) {
    const Ellipsoid<double>& e = plan.ellipsoid;
    factors = {Real(e.inv_sx), Real(e.inv_sy), Real(e.inv_sz),
               Real(e.bxy),    Real(e.bxz),    Real(e.bzy)};
    scale_to(radius, factors);
    block_half = half_in_ball(factors, Frame::kHalfX, Frame::kHalfY);
    half = half_in_ball(factors);
    tile = in_ball(factors, frame.tile_x, frame.tile_y, Real(0));
    lane = in_ball(factors, frame.x, frame.y, frame.z);
    if constexpr (kIsExponential<Profile>)
      recurrence = RowRecurrence<Real>(factors.inv_sx, half.u0, radius);
  }
  template <class Profile>
  __device__ bool reaches(const WarpTileSamples& /*samples*/, std::uint32_t /*i*/,
                          const LocalSample<Real>& s, const Profile& /*profile*/,
                          Waiting& waiting) const {
    const BallPoint<Real> at = in_ball(factors, s.x, s.y, s.z);
    waiting = {at.u0, at.u1, at.u2, s.height};
    return may_reach(at, block_half, radius);
  }
  __device__ bool reaches_tile(const Waiting& w) const {
    return may_reach({w.u0 - tile.u0, w.u1 - tile.u1, w.u2 - tile.u2}, half, radius);
  }
  template <class Profile>
  __device__ void add(LaneSums<Real>& sums, const Waiting& w, const Profile& profile) const {
    const Real u1 = lane.u1 - w.u1, u2 = lane.u2 - w.u2;
    const Real u0 = lane.u0 - w.u0, rest = fma(u1, u1, u2 * u2);
    const Real height = kEqual ? Real(1) : w.height;
    if constexpr (kIsExponential<Profile>)
      if (recurrence.holds)
        return add_row_by_recurrence(sums.part, u0, factors.inv_sx, rest, height, recurrence.ratio);
    add_row(sums.part, u0, factors.inv_sx, rest, height, profile);
  }
};

/// A kernel for each sample.
template <class Real>
struct OwnShape {
  static constexpr TileBlock kBlock = std::is_same_v<Real, float> ? kShapedBlock : kCommonBlock;
  static constexpr bool kScaled = false;
  static constexpr int kResident = std::is_same_v<Real, float> ? 8 : 1;
  using Frame = BlockFrame<Real, kBlock>;
  struct alignas(4 * sizeof(Real)) Waiting {
    LocalSample<Real> sample;
    EllipsoidFactors<Real> factors;
    RowRecurrence<Real> recurrence;
  };
  Frame frame;
  Real radius;

  template <class Profile>
  __device__ OwnShape(const WarpTilePlan& /*plan*/, const Profile& profile, const Frame& of)
      : frame(of), radius(ball_radius<Real>(profile)) {}
  template <class Profile>
  __device__ bool reaches(const WarpTileSamples& samples, std::uint32_t i,
                          const LocalSample<Real>& s, const Profile& /*profile*/,
                          Waiting& waiting) const {
    waiting.sample = s;
    waiting.factors = own_factors<Real>(samples, i);
    scale_to(radius, waiting.factors);
    if constexpr (kIsExponential<Profile>)
      waiting.recurrence =
          RowRecurrence<Real>(waiting.factors.inv_sx, half_in_ball(waiting.factors).u0, radius);
    return may_reach(in_ball(waiting.factors, s.x, s.y, s.z),
                     half_in_ball(waiting.factors, Frame::kHalfX, Frame::kHalfY), radius);
  }
  __device__ bool reaches_tile(const Waiting& w) const {
    const LocalSample<Real>& s = w.sample;
    return may_reach(in_ball(w.factors, frame.tile_x - s.x, frame.tile_y - s.y, -s.z),
                     half_in_ball(w.factors), radius);
  }
  template <class Profile>
  __device__ void add(LaneSums<Real>& sums, const Waiting& w, const Profile& profile) const {
    const BallPoint<Real> at =
        in_ball(w.factors, frame.x - w.sample.x, frame.y - w.sample.y, frame.z - w.sample.z);
    const Real rest = fma(at.u1, at.u1, at.u2 * at.u2);
    if constexpr (kIsExponential<Profile>)
      if (w.recurrence.holds)
        return add_row_by_recurrence(sums.part, at.u0, w.factors.inv_sx, rest, w.sample.height,
                                     w.recurrence.ratio);
    add_row(sums.part, at.u0, w.factors.inv_sx, rest, w.sample.height, profile);
  }
};

}  // namespace skde::kernels
