#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// The grid that a volume file describes. Throws Error(input) where a number is not finite, a cell
/// has no size or a side no cells or more than 2^31 - 1.
Grid grid_of_file(const std::string& name, Vec3 first_centre, Vec3 spacing,
                  const std::array<std::int64_t, 3>& dims);

/// Throws Error(resources) where a volume of this grid is larger than the memory that is there (see
/// available_memory()), so that a small broken or compressed file cannot ask for all of it.
void require_volume_fits(const std::string& name, const Grid& grid, Precision precision);

/// The type of the values in memory for values of `type` in a file: double where float would lose
/// digits.
Precision precision_for(ScalarType type);

/// Values as they lie in memory.
std::string_view bytes_of(ValueSpan values);
/// Those of a volume, to write to.
char* bytes_of(Volume& volume);

/// Reads grid.cells() values from the source's position on. Throws Error(input) before anything is
/// allocated where the source knows its size and is too short; memory follows what is read where it
/// does not. Error(resources) as above.
Volume read_values(BufferedSource& source, const Grid& grid, ScalarType type, bool big_endian);

/// Error(input) where the source has bytes behind its values: its header must be wrong.
void require_end(BufferedSource& source);

}  // namespace skde::io
