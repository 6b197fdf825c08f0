#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/space/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// Returns the grid that a volume file describes. Throws Error(input) if a number is not finite, a
/// cell has no size, or a side has no cells or more than 2^31 - 1.
Grid grid_of_file(const std::string& name, Vec3 first_centre, Vec3 spacing,
                  const std::array<std::int64_t, 3>& dims);

/// Throws Error(resources) if a volume of this grid is larger than the available memory (see
/// available_memory()), so that a small broken or compressed file cannot ask for all of it.
void require_volume_fits(const std::string& name, const Grid& grid, Precision precision);

/// Returns the type in memory for values of `type` in a file: double if float would lose digits.
Precision precision_for(ScalarType type);

/// Returns the bytes of values as they are in memory.
std::string_view bytes_of(ValueSpan values);

/// Reads grid.cells() values from the source's position on. Throws Error(input), before anything is
/// allocated, if the source knows its size and is too short; otherwise memory grows with what is
/// read. Throws Error(resources) as above.
Volume read_values(BufferedSource& source, const Grid& grid, ScalarType type, bool big_endian);

/// Throws Error(input) if bytes follow the values in the source: its header must be wrong.
void require_end(BufferedSource& source);

}  // namespace skde::io
