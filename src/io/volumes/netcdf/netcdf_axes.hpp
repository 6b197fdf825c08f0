#pragma once

#include <optional>
#include <string>

#include "io/volumes/file_axes.hpp"
#include "io/volumes/netcdf/netcdf_file.hpp"

namespace skde::io {

/// The dimensions of a variable, but for one step of time, as axes.
struct NetcdfAxes {
  FileAxes file;
  bool placed = true;  ///< each has coordinates
  std::string units;   ///< of all coordinates; empty where they differ
};

/// Which dimension is x, y or z its coordinate variable says (attribute `axis`, or degrees of east
/// and north), or else its name. `cell_size` serves axes of one cell. Error(input) where a
/// dimension cannot be mapped, there is more than one step of time, or coordinates are not evenly
/// spaced.
NetcdfAxes read_axes(const NetcdfFile& file, int variable, const std::optional<Vec3>& cell_size);

}  // namespace skde::io
