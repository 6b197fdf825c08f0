#pragma once

#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/grid.hpp"

namespace skde {

/// What a picture says of its density, in the order of reading: kernel, bandwidth, samples, mass in
/// the box, grid. What the metadata leaves open is left out.
std::vector<std::string> picture_facts(const DensityMetadata& metadata, const Grid& grid);

/// What the axis is called: as its column, or x, y, z.
std::string axis_name(const DensityMetadata& metadata, std::size_t axis);

/// "Kernel density", or "Values of" what is none, such as a column's mean.
std::string picture_title(const DensityMetadata& metadata);
/// What the values are, without their unit: "density", "count".
std::string quantity_name(const DensityMetadata& metadata);
/// The unit of the values: "m⁻³", "per unit volume"; empty where they are no density.
std::string quantity_unit(const DensityMetadata& metadata);
/// That of their integrals along lines: "m⁻²", "per unit area".
std::string line_integral_unit(const DensityMetadata& metadata);

/// The parts joined by dots into lines for which `fits` is true; a part alone may exceed that.
template <class Fits>
std::vector<std::string> join_lines(const std::vector<std::string>& parts, const Fits& fits) {
  std::vector<std::string> lines;
  for (const std::string& part : parts) {
    if (!lines.empty() && fits(lines.back() + "  \u00b7  " + part))
      lines.back() += "  \u00b7  " + part;
    else
      lines.push_back(part);
  }
  return lines;
}

}  // namespace skde
