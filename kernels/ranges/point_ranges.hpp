#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_shape.hpp"
#include "core/space/tile_share.hpp"
#include "kernels/ball_lattice.hpp"
#include "kernels/located_samples.hpp"

/// Sums at points: blocks of nearby targets against ranges of samples, sorted by cell.
namespace skde::kernels {

/// A weighted point, in world units.
struct alignas(32) PointInWorld {
  double x, y, z, weight;
};

/// How blocks of threads sum. Each warp has its own targets, which are close together.
struct RangePolicy {
  static constexpr int kBlock = 128;
  static constexpr int kEach = 2;  ///< targets per thread
  static constexpr int kTargets = kBlock * kEach;
  /// Most samples that a warp gathers before it sums them.
  static constexpr int kTogether = 96;
  /// Largest distance of a group's targets from its first one, in radii along each axis: small
  /// enough for float coordinates.
  static constexpr double kNear = 0.5;

  static SKDE_HOST_DEVICE std::int64_t blocks(std::int64_t targets) {
    return (targets + kTargets - 1) / kTargets;
  }
};

/// Writes each sample's index and cell. The cell is lattice.cells() if the sample has no weight or
/// no target can be within its reach.
void key_by_cell(const DevicePoints& samples, const BallLattice& lattice, std::uint32_t* keys,
                 std::uint32_t* indices, cudaStream_t stream);

/// Writes each point's index and the Morton number of its place in the lattice's box, with 10 bits
/// per axis.
inline constexpr int kMortonBits = 30;
void key_by_curve(const double* points, std::int64_t count, const BallLattice& lattice,
                  std::uint32_t* keys, std::uint32_t* indices, cudaStream_t stream);

/// Writes the points in sorted order, with their weights (or 1) times `weight_scale`.
void gather_points(const DevicePoints& points, double weight_scale, const std::uint32_t* indices,
                   PointInWorld* sorted, cudaStream_t stream);

/// Input and output of a launch: sorted `targets` and `samples`; cell c begins at starts[c].
struct RangeSums {
  BallLattice lattice;
  const PointInWorld* targets;
  std::int64_t target_count;
  const PointInWorld* samples;
  const std::uint32_t* starts;
  std::int32_t shares;  ///< blocks of threads that share a block of targets
  double* partial;      ///< [shares][sums of a target][target_count]
  TileShare part{};     ///< the blocks of targets that are summed

  /// The number of blocks that are summed.
  SKDE_HOST_DEVICE std::int64_t blocks() const {
    return (RangePolicy::blocks(target_count) - part.number + part.of - 1) / part.of;
  }
  /// Returns the first target of one of these blocks.
  SKDE_HOST_DEVICE std::int64_t first_target(std::int64_t block) const {
    return (block * part.of + part.number) * RangePolicy::kTargets;
  }
  /// True if a sorted target is in one of these blocks.
  SKDE_HOST_DEVICE bool has(std::int64_t target) const {
    return target / RangePolicy::kTargets % part.of == part.number;
  }
};

/// Sums blocks [first, first + blocks) of those that are to be summed, each over its shares of the
/// rows of cells.
template <class Real>
void sum_ranges(const RangeSums& sums, const Kernel& kernel, std::int64_t first,
                std::int64_t blocks, cudaStream_t stream);

/// Adds `scale` times each target's sum, share by share, to values[index of target].
void add_shares(const RangeSums& sums, const std::uint32_t* indices, double scale, double* values,
                cudaStream_t stream);

/// Sums the gradients of kernels whose profile has this derivative, in radii and in double: three
/// sums of each target in blocks [first, first + blocks).
void sum_gradients(const RangeSums& sums, const KernelSlope& slope, double cut, std::int64_t first,
                   std::int64_t blocks, cudaStream_t stream);
/// Writes `scale` times each target's gradient, 3 doubles in world units, at the target's index.
void find_gradients(const RangeSums& sums, const std::uint32_t* indices, double scale,
                    double* gradients, cudaStream_t stream);

}  // namespace skde::kernels
