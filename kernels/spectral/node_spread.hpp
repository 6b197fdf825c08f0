#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "core/space/space.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// How samples are spread over the nodes of a working grid by B-splines: tile by tile, in integers.
/// Made on the host, passed to the kernels by value, printed in reports.
struct NodeSpread {
  /// Nodes of a tile, which a block sums in shared memory.
  static constexpr std::int32_t kTileX = 16, kTileY = 8, kTileZ = 8;
  static constexpr int kBlock = 256;
  /// Sorted samples per block, from one or several tiles; several blocks share a crowded tile.
  static constexpr int kChunk = 512;
  /// Most samples of a tile that are added to the nodes one by one.
  static constexpr int kFew = 8;

  double origin[3];   ///< of the first cell, in world units
  double first[3];    ///< node coordinates of the origin
  double spacing[3];  ///< distance of nodes, in world units
  std::int32_t nodes[3];
  bool wraps[3];            ///< whether the nodes span a period
  int order = 4;            ///< of the splines: 4, 6, 8, 10 or 12
  double weight_scale = 0;  ///< integers per unit of weight

  SKDE_HOST_DEVICE static std::int32_t tile(int axis) {
    return axis == 0 ? kTileX : axis == 1 ? kTileY : kTileZ;
  }
  SKDE_HOST_DEVICE std::int32_t tiles(int axis) const {
    return (nodes[axis] + tile(axis) - 1) / tile(axis);
  }
  SKDE_HOST_DEVICE std::int64_t tile_count() const {
    return static_cast<std::int64_t>(tiles(0)) * tiles(1) * tiles(2);
  }
  /// Returns the numbers of a row along x, including the padding that its transform needs.
  SKDE_HOST_DEVICE std::int64_t row() const { return nodes[0] + 2; }
  std::int64_t size() const { return row() * nodes[1] * nodes[2]; }
  bool any_wraps() const { return wraps[0] || wraps[1] || wraps[2]; }
  int key_bits() const;
  std::string describe() const;
};

/// A sample within its tile: its fixed-point position with kTileBits fraction bits, and its weight
/// in units of the summed integers.
template <class Real>
struct alignas(16) TilePoint {
  std::uint32_t at[3];
  Real weight;
};
inline constexpr int kTileBits = 27;

/// Writes each sample's index and tile: tile_count() if it reaches no cell or has no weight.
void key_by_tile(const DevicePoints& points, const NodeSpread& spread, std::uint32_t* keys,
                 std::uint32_t* indices, cudaStream_t stream);

/// Writes the samples in sorted order.
template <class Real>
void gather_by_tile(const DevicePoints& points, const NodeSpread& spread,
                    const std::uint32_t* indices, TilePoint<Real>* sorted, cudaStream_t stream);

/// Adds the sorted samples to the nodes, and sets `touched` of every tile that may have received
/// some. In float, a tile's samples are summed in 32 bits, in a unit that depends on the sum of
/// their weights. In double, all sums have 64 bits.
template <class Real>
void spread_samples(const TilePoint<Real>* sorted, const std::uint32_t* keys, std::int64_t count,
                    const NodeSpread& spread, std::int64_t* nodes, unsigned char* touched,
                    cudaStream_t stream);

/// Converts the sums to real numbers, in rows of row() numbers; an integer 1 becomes `unit`.
/// Untouched tiles become 0; their sums are not read. In float, sums that were read are reset to 0
/// for the next run. In double, `field` replaces the sums in place.
template <class Real>
void convert_sums(std::int64_t* sums, const unsigned char* touched, const NodeSpread& spread,
                  double unit, Real* field, cudaStream_t stream);

}  // namespace skde::kernels
