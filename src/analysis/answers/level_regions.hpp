#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Returns the label of the cell that holds a point, -1 outside the grid. `labels` has one a cell.
std::int32_t label_at(std::span<const std::int32_t> labels, const Grid& grid, Vec3 world);

/// Which cells touch: those with a common face, or with a common face, edge or corner.
enum class Touching { faces, corners };
/// The words of these: the number of cells that touch one.
inline constexpr Words<Touching, 2> kTouching{{{"6", Touching::faces}, {"26", Touching::corners}}};

/// A connected region of cells whose values are at least a level.
struct LevelRegion {
  std::int64_t cells = 0;
  double mass = 0;    ///< sum of its values times the volume of a cell
  double volume = 0;  ///< in cubed units of the coordinates
  Vec3 centroid;      ///< mean of its cells' centres, weighted by their values
  Box bounds;         ///< outer faces of its cells
  Vec3 place;         ///< centre of the cell with its largest value
  double peak = 0;    ///< the largest value
};

/// Regions of cells whose values are at least a level.
struct LevelRegions {
  double level = 0;
  std::vector<LevelRegion> regions{};  ///< by mass, the largest first
  /// The region of each cell, x fastest: 0 for the first, -1 below the level.
  std::vector<std::int32_t> labels{};
};

/// Finds the regions of cells whose values are at least `level`, by a union of touching cells.
/// Regions of equal mass are in the order of their first cells. Throws Error(usage) unless the
/// level is above 0, Error(input) if a value is not finite, Error(resources) if there are 2^31
/// regions or more, and Error(cancelled).
LevelRegions regions_above(const Volume& volume, double level, Touching touching,
                           Progress& progress);

/// Finds the basins (density_peaks()) of the peaks that stand above their saddles by at least
/// `prominence`, a share of the highest value, without cells below `level`, which may be 0. Basins
/// that have no other cells are left out. Throws what density_peaks() throws.
LevelRegions regions_of_peaks(const Volume& volume, double prominence, double level,
                              Progress& progress);

}  // namespace skde
