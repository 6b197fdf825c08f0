#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/space/grid.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// Returns the XML of a VTK image up to the underscore before the appended data. The data are
/// arrays of these names, one after another, each preceded by its size in 8 bytes.
std::string vti_head(const Grid& grid, Precision precision, bool compressed,
                     const std::vector<std::string>& arrays, const VolumeFields& fields,
                     std::size_t blanks);

/// The same for one array in a piece, which holds so many slices from z on.
std::string vti_piece_head(const Grid& grid, std::int64_t z, std::int64_t slices,
                           Precision precision, const std::string& array,
                           const VolumeFields& fields);

/// A piece of an image in its own file, which holds these slices.
struct VtiPiece {
  std::string file;
  std::int64_t z = 0, slices = 0;
};
/// Returns the XML of an image whose points are in pieces; neighbouring pieces share a slice.
std::string pvti_text(const Grid& grid, Precision precision, const std::string& array,
                      const std::vector<VtiPiece>& pieces);

/// What follows the data.
inline constexpr std::string_view kVtiTail = "\n  </AppendedData>\n</VTKFile>\n";

}  // namespace skde::io
