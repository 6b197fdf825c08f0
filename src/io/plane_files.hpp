#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "core/space/grid.hpp"
#include "core/space/projection.hpp"

namespace skde::io {

/// Values on planes across one axis, all with the same cells.
struct PlaneSet {
  int axis = 2;                    ///< axis that the planes are perpendicular to
  std::vector<double> at{};        ///< positions along it; empty for a projection
  std::vector<Projection> planes;  ///< one per position, or a single projection
  std::string quantity;            ///< "density", "integral"
  std::string unit;                ///< unit of the values
  std::string units;               ///< unit of the coordinates; may be empty
};

// Sets that share a file have the same planes and differ in their quantities.

/// CSV: a header, then a row per place with its coordinates and one value per set: "x,y,z,density"
/// for slices, "x,y,integral" for a projection along z. Writes the whole file or nothing. Throws
/// Error(output) or Error(cancelled).
void write_plane_csv(const std::string& path, std::span<const PlaneSet> sets, const Grid& grid,
                     Progress& progress);

/// NPY of doubles in C order. The shape is (rows, columns), or (planes, rows, columns) for slices;
/// several sets add their number in front. The coordinates go to a JSON file beside it,
/// "PATH.json". Each file is written whole or not at all. Throws Error(output).
void write_plane_npy(const std::string& path, std::span<const PlaneSet> sets, const Grid& grid);

}  // namespace skde::io
