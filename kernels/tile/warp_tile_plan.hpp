#pragma once

#include <cstdint>
#include <string>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "kernels/coarse_cells.hpp"

namespace skde::kernels {

/// A tile of the volume, which a warp sums in registers: each lane owns a row of cells along x.
inline constexpr int kLaneCells = 8, kWarpTileX = kLaneCells, kWarpTileY = 8, kWarpTileZ = 4,
                     kWarpTileCells = kWarpTileX * kWarpTileY * kWarpTileZ;

/// Samples whose kernels reach about as far: sorted together by coarse cells of their own.
struct ReachClass {
  CoarseCells coarse;
  std::int32_t margin[3];  ///< cells outside the grid that have coarse cells of their own
  std::uint32_t first;     ///< key of the first coarse cell
};

/// The reach doubles from class to class; those beyond the grid's length share the last one.
inline constexpr int kMostReachClasses = 30;
/// Cells that the kernels of the lowest class reach at most.
inline constexpr double kLowestReach = 4;
/// Cells that a kernel may reach over where positions are in fixed point.
inline constexpr double kFarthestFixedReach = 1e6;

/// Coordinates of a tile's first cell.
struct TilePlace {
  std::int32_t x, y, z;
};

/// All that is decided before a run of the tiles: sizes and launches. Made on the host, passed to
/// the kernels by value, printed in reports.
struct WarpTilePlan {
  std::int32_t dims[3];      ///< of the grid
  std::int32_t tiles[3];     ///< along x, y, z
  std::int32_t fraction[3];  ///< bits of fixed-point positions along each axis, which wrap at 2^32
  std::int32_t classes;
  ReachClass reach_class[kMostReachClasses];
  bool shaped;                  ///< samples have kernels of their own
  bool wide;                    ///< sums in double
  Ellipsoid<double> ellipsoid;  ///< of the common kernel

  SKDE_HOST_DEVICE std::int64_t layer() const { return std::int64_t{tiles[0]} * tiles[1]; }
  std::int64_t tile_count() const { return layer() * tiles[2]; }
  /// Coarse cells of all classes.
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

/// Cells that the tiles met by one kernel have, and tiles that look at its sample: what a run
/// costs.
struct WarpTileWork {
  double cells = 0, visits = 0;
};
WarpTileWork warp_tile_work(const Ellipsoid<double>& ellipsoid, const Grid& grid);

/// Whether sums of floats would lose digits: kernels thinner than cells, far
/// longer than thick, or far wider than any grid.
bool needs_wide_tiles(const Kernel& kernel, const Grid& grid, bool shaped, double min_width);

/// Chooses tiles, classes and coarse cells.
WarpTilePlan make_warp_tile_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid, bool shaped,
                                 bool wide);

}  // namespace skde::kernels
