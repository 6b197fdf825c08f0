#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// The XML of a VTK image up to the underscore after which the appended data begin: arrays of these
/// names, one behind the other, each behind its size in 8 bytes.
std::string vti_head(const Grid& grid, Precision precision, bool compressed,
                     const std::vector<std::string>& arrays, const VolumeFields& fields,
                     std::size_t blanks);

/// What follows the data.
inline constexpr std::string_view kVtiTail = "\n  </AppendedData>\n</VTKFile>\n";

}  // namespace skde::io
