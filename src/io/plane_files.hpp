#pragma once

#include <string>
#include <vector>

#include "core/grid.hpp"
#include "core/progress.hpp"
#include "core/projection.hpp"

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

/// CSV: a header and a row a value, with its coordinates: "x,y,z,density" of slices, "x,y,integral"
/// of a projection along z. Whole or not at all; Error(output), Error(cancelled).
void write_plane_csv(const std::string& path, const PlaneSet& set, const Grid& grid,
                     Progress& progress);

/// NPY of doubles in C order, shape (rows, columns), or (planes, rows, columns) of slices, and the
/// coordinates in a JSON file beside it, "PATH.json". Each whole or not at all; Error(output).
void write_plane_npy(const std::string& path, const PlaneSet& set, const Grid& grid);

}  // namespace skde::io
