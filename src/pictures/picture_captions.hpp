#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"
#include "pictures/picture_look.hpp"

namespace skde {

/// Returns the facts shown above a picture, in reading order: kernel, bandwidth, samples, mass in
/// the box, grid. Facts that the metadata do not state are left out.
std::vector<std::string> picture_facts(const DensityMetadata& metadata, const Grid& grid);

/// Returns the name of the axis: that of its column, or x, y, z.
std::string axis_name(const DensityMetadata& metadata, std::size_t axis);

/// Returns the axis with this name: x, y, z, or a name from the volume's file. Throws Error(usage)
/// about `parameter` if there is none.
std::size_t axis_called(const std::string& word, const DensityMetadata& metadata,
                        const char* parameter = "axis");

/// Returns the axes that are drawn leftwards or downwards: those `given`; else z if it is named a
/// depth and the middle of the box is below the surface, 0.
std::array<bool, 3> drawn_flips(const std::optional<std::array<bool, 3>>& given,
                                const std::string& z, const Box& box);
/// Takes the axes by the names in `look.flipped`. Throws Error(usage) if the volume has none of a
/// name.
std::array<bool, 3> drawn_flips(const PictureLook& look, const DensityMetadata& metadata,
                                const Box& box);

/// Returns "Kernel density", "Histogram", or "Values of ..." for others, such as a column's mean.
std::string picture_title(const DensityMetadata& metadata, const Grid& grid);
/// Returns the name of the values, without their unit: "density", "count".
std::string quantity_name(const DensityMetadata& metadata);
/// Returns the unit of the values: "m⁻³", "per unit volume"; empty if they are not a density.
std::string quantity_unit(const DensityMetadata& metadata);
/// Returns the unit of their integrals along lines: "m⁻²", "per unit area".
std::string line_integral_unit(const DensityMetadata& metadata);

/// Returns the letters of a text that `has` does not know by their UTF-8 and their code, each once
/// with its code.
std::string letters_without(
    std::string_view text,
    const std::function<bool(const std::string& letter, unsigned code)>& has);

/// Joins the parts, with dots between them, into lines for which `fits` is true; a single part may
/// exceed that.
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
