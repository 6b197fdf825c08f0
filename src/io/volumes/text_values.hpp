#pragma once

#include "core/space/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// Reads grid.cells() numbers of text, separated by blanks or commas, up to the end of the source
/// or to a '<'. Memory grows with what is read. Throws Error(input) if there are fewer or more
/// numbers, or something is not a number.
Volume read_text_values(BufferedSource& source, const Grid& grid, ScalarType type);

}  // namespace skde::io
