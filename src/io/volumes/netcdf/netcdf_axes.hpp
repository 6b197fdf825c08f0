#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/volumes/file_axes.hpp"
#include "io/volumes/netcdf/netcdf_file.hpp"

namespace skde::io {

/// Returns the text of an attribute, trimmed; empty if the variable has no text of that name.
std::string text_attribute(const NetcdfFile& file, int variable, const char* name);

/// Returns the numbers of an attribute; empty if the variable has no numbers of that name.
std::vector<double> number_attribute(const NetcdfFile& file, int variable, const char* name);

/// The dimensions of a variable as axes, without a time dimension of one step.
struct NetcdfAxes {
  FileAxes file;
  bool placed = true;  ///< all axes have coordinates
  std::string units;   ///< of all coordinates; empty if they differ
};

/// Maps dimensions to x, y and z by their coordinate variables (attribute `axis`, or degrees east
/// and north), or else by their names. `cell_size` serves axes of one cell. Throws Error(input) if
/// a dimension cannot be mapped, there is more than one time step, or coordinates are not evenly
/// spaced.
NetcdfAxes read_axes(const NetcdfFile& file, int variable, const std::optional<Vec3>& cell_size);

}  // namespace skde::io
