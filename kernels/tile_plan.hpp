#pragma once

#include <cstdint>
#include <string>

#include "core/ellipsoid.hpp"
#include "core/grid.hpp"
#include "core/vec3.hpp"
#include "kernels/coarse_cells.hpp"

namespace skde::kernels {

/// A tile of the volume, which a warp sums in registers: its lanes own rows of some cells each, two
/// along x, four along y and four along z.
inline constexpr int kTileLanesX = 2, kTileCellsY = 4, kTileCellsZ = 4;
/// Cells of a lane, at the most.
inline constexpr int kMostLaneCells = 16;

/// Samples whose kernels reach as far, but for a factor of two: sorted together by coarse cells of
/// their own.
struct SizeClass {
  CoarseCells coarse;
  std::int32_t reach[3];  ///< cells from a sample to the end of its kernel, rounded up
  std::uint32_t first;    ///< key of the first coarse cell
};

/// Classes at the most; kernels smaller than 2^-15 of the largest share the last one.
inline constexpr int kMostClasses = 16;

/// Coordinates of a tile's first cell.
struct TilePlace {
  std::int32_t x, y, z;
};

/// All that is decided before a run of the tiles: sizes and launches. Made on the host, passed to
/// the kernels by value, printed in reports.
struct TilePlan {
  std::int32_t dims[3];       ///< of the grid
  std::int32_t tiles[3];      ///< along x, y, z
  std::int32_t lane_cells;    ///< 8 or 16
  std::int32_t fraction_bits[3];  ///< of fixed-point positions along each axis, which wrap at 2^32
  std::int32_t classes;
  SizeClass size[kMostClasses];
  Vec3 largest;           ///< half extents of the largest kernel, in cells
  std::uint32_t shared;   ///< candidates from which a whole block works on a tile
  Ellipsoid<double> ellipsoid;  ///< of a kernel of width 1
  bool precise;           ///< positions and q in double, as the kernels are too slanted for float

  std::int64_t tile_count() const {
    return static_cast<std::int64_t>(tiles[0]) * tiles[1] * tiles[2];
  }
  /// Coarse cells of all classes.
  std::int64_t keys() const {
    return size[classes - 1].first + size[classes - 1].coarse.count();
  }
  SKDE_HOST_DEVICE TilePlace tile_at(std::int64_t index) const {
    const std::int64_t row = index / tiles[0], layer = row / tiles[1];
    return {static_cast<std::int32_t>(index - row * tiles[0]) * kTileLanesX * lane_cells,
            static_cast<std::int32_t>(row - layer * tiles[1]) * kTileCellsY,
            static_cast<std::int32_t>(layer) * kTileCellsZ};
  }
  /// The class of a kernel whose half extents are at most `size` times the largest one's.
  SKDE_HOST_DEVICE std::int32_t class_of(double size) const {
    std::int32_t place = 0;
    for (double half = 0.5; place + 1 < classes && size <= half; half *= 0.5) ++place;
    return place;
  }
  std::string describe() const;
};

/// Cells that kernels may reach over.
inline constexpr double kFarthestTileReach = 1e8;

/// Chooses tiles, classes and coarse cells. `largest` and `smallest`: factors of the ellipsoid, 1
/// where all kernels are alike.
TilePlan make_tile_plan(const Ellipsoid<double>& ellipsoid, const Grid& grid, double largest,
                        double smallest, bool precise);

/// Cells that the tiles of one sample have, and candidates that they look at: what a run costs.
struct TileWork {
  double cells = 0, candidates = 0;
};
TileWork tile_work(const TilePlan& plan);

}  // namespace skde::kernels
