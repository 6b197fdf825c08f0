#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_shape.hpp"
#include "kernels/ball_lattice.hpp"
#include "kernels/located_samples.hpp"

/// Sums at points: blocks of targets that lie together against ranges of samples, sorted by cell.
namespace skde::kernels {

/// In world units.
struct alignas(32) PointInWorld {
  double x, y, z, weight;
};

/// How blocks of threads sum. Each warp has targets of its own, which lie together.
struct RangePolicy {
  static constexpr int kBlock = 128;
  static constexpr int kEach = 2;  ///< targets of a thread
  static constexpr int kTargets = kBlock * kEach;
  /// Samples that a warp puts together at most before it sums them.
  static constexpr int kTogether = 96;
  /// How far, in radii and along each axis, the targets of a group are from its first one: near
  /// enough for float to hold what it states.
  static constexpr double kNear = 0.5;

  static std::int64_t blocks(std::int64_t targets) { return (targets + kTargets - 1) / kTargets; }
};

/// Writes each sample's cell, lattice.cells() where no target can be within its reach or it has no
/// weight, and index.
void key_by_cell(const DevicePoints& samples, const BallLattice& lattice, std::uint32_t* keys,
                 std::uint32_t* indices, cudaStream_t stream);

/// Writes the Morton number of each point's place in the lattice's box, of 10 bits an axis, and
/// index.
inline constexpr int kMortonBits = 30;
void key_by_curve(const double* points, std::int64_t count, const BallLattice& lattice,
                  std::uint32_t* keys, std::uint32_t* indices, cudaStream_t stream);

/// Writes points in sorted order, their weights, 1 without, times `weight_scale`.
void gather_points(const DevicePoints& points, double weight_scale, const std::uint32_t* indices,
                   PointInWorld* sorted, cudaStream_t stream);

/// What a launch sums: `targets` and `samples` sorted, starts[c] the first sample of cell c.
struct RangeSums {
  BallLattice lattice;
  const PointInWorld* targets;
  std::int64_t target_count;
  const PointInWorld* samples;
  const std::uint32_t* starts;
  std::int32_t shares;  ///< blocks of threads that share a block of targets
  double* partial;      ///< [shares][target_count]
};

/// Sums blocks of targets [first, first + blocks), each over its shares of the rows of cells.
template <class Real>
void sum_ranges(const RangeSums& sums, const Kernel& kernel, std::int64_t first,
                std::int64_t blocks, cudaStream_t stream);

/// values[index of target] += scale times the sum of its shares, one share after the other.
void add_shares(const RangeSums& sums, const std::uint32_t* indices, double scale, double* values,
                cudaStream_t stream);

}  // namespace skde::kernels
