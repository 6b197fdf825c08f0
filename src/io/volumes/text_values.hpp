#pragma once

#include "core/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// Reads grid.cells() numbers that stand as text between blanks or commas, up to the end of the
/// source or to a '<'. Memory follows what is read. Error(input) where there are fewer or more, or
/// something is no number.
Volume read_text_values(BufferedSource& source, const Grid& grid, ScalarType type);

}  // namespace skde::io
