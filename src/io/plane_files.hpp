#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "core/projection.hpp"
#include "core/report/progress.hpp"

namespace skde::io {

/// Values on planes across an axis, all of the same cells.
struct PlaneSet {
  int axis = 2;                    ///< that the planes stand across
  std::vector<double> at{};        ///< their places along it; none of a projection
  std::vector<Projection> planes;  ///< one a place, or a single one
  std::string quantity;            ///< "density", "integral"
  std::string unit;                ///< of the values
  std::string units;               ///< of the coordinates; may be empty
};

// Sets that share a file have the same planes, and differ in their quantities.

/// CSV: a header and a row a place, with its coordinates and a value a set: "x,y,z,density" of
/// slices, "x,y,integral" of a projection along z. Whole or not at all; Error(output),
/// Error(cancelled).
void write_plane_csv(const std::string& path, std::span<const PlaneSet> sets, const Grid& grid,
                     Progress& progress);

/// NPY of doubles in C order, shape (rows, columns), (planes, rows, columns) of slices, or with the
/// number of sets before these where there are several, and the coordinates in a JSON file beside
/// it, "PATH.json". Each whole or not at all; Error(output).
void write_plane_npy(const std::string& path, std::span<const PlaneSet> sets, const Grid& grid);

}  // namespace skde::io
