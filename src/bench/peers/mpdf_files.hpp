#pragma once

#include <optional>
#include <string>

#include "core/grid.hpp"
#include "core/volume.hpp"

namespace skde::bench {

// What the program of the S-KDE authors (mpdfestimator) takes and gives.

/// Its flag -x: the first cell centre, the last one and the spacing, "x/y/z:x/y/z:dx/dy/dz". It
/// cuts the number of steps off, so the last lies a little farther, but by less than any kernel's
/// end: past the last it would write outside its array.
std::string mpdf_grid(const Grid& grid);

/// The seconds of a line "Compute time: 0.25 sec ..." of its report; nothing of other lines. They
/// are those of the estimation alone, without reading, moments and writing.
std::optional<double> mpdf_seconds(const std::string& line);

/// False where skde was built without NetCDF.
bool can_read_mpdf_volume();
/// Its result, variable PDF of dimensions (dim0, dim1, dim2) = (x, y, z), on the grid. Error(input)
/// where the file is no NetCDF, has no such variable, or one of other dimensions.
Volume read_mpdf_volume(const std::string& path, const Grid& grid);

}  // namespace skde::bench
