#pragma once

#include <cstdint>
#include <numbers>
#include <string>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/grid.hpp"
#include "kernels/coarse_cells.hpp"

namespace skde::kernels {

/// A tile of the volume, which a warp sums in registers: each lane owns a row of cells along x.
/// Tiles are summed in blocks of neighbours, one tile to each warp of a block of threads.
inline constexpr int kLaneCells = 8, kWarpTileX = kLaneCells, kWarpTileY = 8, kWarpTileZ = 4,
                     kWarpTileCells = kWarpTileX * kWarpTileY * kWarpTileZ;

/// Samples whose kernels have about the same reach, sorted by the class' own coarse cells.
struct ReachClass {
  CoarseCells coarse;
  std::int32_t margin[3];  ///< cells outside the grid that the coarse cells cover
  std::uint32_t first;     ///< key of the first coarse cell
};

/// The reach grows by this ratio from class to class; the last one also takes longer reaches.
inline constexpr double kReachRatio = std::numbers::sqrt2;
inline constexpr int kMostReachClasses = 30;
/// Largest reach of the kernels of the lowest class, in cells.
inline constexpr double kLowestReach = 4;
/// Largest reach of a kernel for fixed-point positions, in cells.
inline constexpr double kFarthestFixedReach = 1e6;

/// Bytes for the sums of items that share their block with others.
inline constexpr std::int64_t kSharedSums = std::int64_t{1} << 27;

/// Coordinates of the first cell of a tile or of a block of tiles.
struct TilePlace {
  std::int32_t x, y, z;
};

/// The tiles of a block along x and y. Candidates are culled for the whole block first. This pays
/// for unlike kernels, as most of a class reach less far than its farthest, if they are wide.
struct TileBlock {
  int x, y;

  SKDE_HOST_DEVICE constexpr int tiles() const { return x * y; }
};
inline constexpr TileBlock kCommonBlock{1, 1}, kShapedBlock{2, 2};
constexpr TileBlock tile_block(bool shaped, bool wide, bool means) {
  return shaped && !wide && !means ? kShapedBlock : kCommonBlock;
}

/// The parameters of a run of the tile engine: sizes and launches. Made on the host, passed to the
/// kernels by value, printed in reports.
struct WarpTilePlan {
  std::int32_t dims[3];  ///< of the grid
  TileBlock block;
  std::int32_t blocks[3];    ///< of tiles along x, y, z
  std::int32_t fraction[3];  ///< fraction bits of positions along each axis; these wrap at 2^32
  std::int32_t classes;
  ReachClass reach_class[kMostReachClasses];
  bool shaped;                  ///< whether samples have their own kernels
  bool wide;                    ///< whether sums are in double
  bool apart;                   ///< whether slim kernels are for sums in double, others in float
  double height;                ///< of every sample's kernel; 0 if they differ
  double edge;                  ///< from a cell's centre to its faces if it takes means, else 0
  Ellipsoid<double> ellipsoid;  ///< of the common kernel

  /// Returns the number of blocks in a layer.
  SKDE_HOST_DEVICE std::int64_t layer() const { return std::int64_t{blocks[0]} * blocks[1]; }
  std::int64_t block_count() const { return layer() * blocks[2]; }
  /// Returns how many items may share their block with others.
  SKDE_HOST_DEVICE std::int64_t shared_items() const {
    const std::size_t sum = wide ? sizeof(double) : sizeof(float);
    return kSharedSums / static_cast<std::int64_t>(sum) / (block.tiles() * kWarpTileCells);
  }
  /// Returns the number of coarse cells of all classes.
  SKDE_HOST_DEVICE std::int64_t keys() const {
    return reach_class[classes - 1].first + reach_class[classes - 1].coarse.count();
  }
  SKDE_HOST_DEVICE TilePlace block_at(std::int64_t index) const {
    const std::int64_t row = index / blocks[0], depth = row / blocks[1];
    return {static_cast<std::int32_t>(index - row * blocks[0]) * block.x * kWarpTileX,
            static_cast<std::int32_t>(row - depth * blocks[1]) * block.y * kWarpTileY,
            static_cast<std::int32_t>(depth) * kWarpTileZ};
  }
  std::string describe() const;
};

/// The cost of a run per kernel: cells of the tiles that it meets, and blocks that examine its
/// sample.
struct WarpTileWork {
  double cells = 0, visits = 0;
};
WarpTileWork warp_tile_work(const Ellipsoid<double>& ellipsoid, const Grid& grid, TileBlock block);

/// Least half width in cells for sums in float.
inline constexpr double kSlim = 1.5;

/// Returns whether float sums may lose digits: for kernels thinner than cells, far longer than
/// thick, or far wider than any grid.
bool needs_wide_tiles(const Kernel& kernel, const Grid& grid, bool shaped, double min_width);

/// Chooses tiles, classes and coarse cells; for means over cells if `means`.
WarpTilePlan make_warp_tile_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid, bool shaped,
                                 bool wide, bool means = false);

}  // namespace skde::kernels
