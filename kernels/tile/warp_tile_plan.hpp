#pragma once

#include <cstdint>
#include <string>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/grid.hpp"
#include "kernels/coarse_cells.hpp"

namespace skde::kernels {

/// A tile of the volume, which a warp sums in registers: each lane owns a row of cells along x.
inline constexpr int kLaneCells = 8, kWarpTileX = kLaneCells, kWarpTileY = 8, kWarpTileZ = 4,
                     kWarpTileCells = kWarpTileX * kWarpTileY * kWarpTileZ;

/// Samples whose kernels have about the same reach, sorted by the class' own coarse cells.
struct ReachClass {
  CoarseCells coarse;
  std::int32_t margin[3];  ///< cells outside the grid that the coarse cells cover
  std::uint32_t first;     ///< key of the first coarse cell
};

/// The reach doubles from class to class; the last one also takes longer reaches.
inline constexpr int kMostReachClasses = 30;
/// Largest reach of the kernels of the lowest class, in cells.
inline constexpr double kLowestReach = 4;
/// Largest reach of a kernel for fixed-point positions, in cells.
inline constexpr double kFarthestFixedReach = 1e6;

/// Coordinates of a tile's first cell.
struct TilePlace {
  std::int32_t x, y, z;
};

/// The parameters of a run of the tile engine: sizes and launches. Made on the host, passed to the
/// kernels by value, printed in reports.
struct WarpTilePlan {
  std::int32_t dims[3];      ///< of the grid
  std::int32_t tiles[3];     ///< tiles along x, y, z
  std::int32_t fraction[3];  ///< fraction bits of positions along each axis; these wrap at 2^32
  std::int32_t classes;
  ReachClass reach_class[kMostReachClasses];
  bool shaped;                  ///< whether samples have their own kernels
  bool wide;                    ///< whether sums are in double
  double edge;                  ///< from a cell's centre to its faces if it takes means, else 0
  Ellipsoid<double> ellipsoid;  ///< of the common kernel

  SKDE_HOST_DEVICE std::int64_t layer() const { return std::int64_t{tiles[0]} * tiles[1]; }
  std::int64_t tile_count() const { return layer() * tiles[2]; }
  /// Returns the number of coarse cells of all classes.
  SKDE_HOST_DEVICE std::int64_t keys() const {
    return reach_class[classes - 1].first + reach_class[classes - 1].coarse.count();
  }
  SKDE_HOST_DEVICE TilePlace tile_at(std::int64_t index) const {
    const std::int64_t row = index / tiles[0], depth = row / tiles[1];
    return {static_cast<std::int32_t>(index - row * tiles[0]) * kWarpTileX,
            static_cast<std::int32_t>(row - depth * tiles[1]) * kWarpTileY,
            static_cast<std::int32_t>(depth) * kWarpTileZ};
  }
  std::string describe() const;
};

/// The cost of a run per kernel: cells of the tiles that it meets, and tiles that examine its
/// sample.
struct WarpTileWork {
  double cells = 0, visits = 0;
};
WarpTileWork warp_tile_work(const Ellipsoid<double>& ellipsoid, const Grid& grid);

/// Returns whether float sums would lose digits: for kernels thinner than cells, far longer than
/// thick, or far wider than any grid.
bool needs_wide_tiles(const Kernel& kernel, const Grid& grid, bool shaped, double min_width);

/// Chooses tiles, classes and coarse cells; for means over cells if `means`.
WarpTilePlan make_warp_tile_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid, bool shaped,
                                 bool wide, bool means = false);

}  // namespace skde::kernels
