#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace skde::fuzz {

/// Opens `bytes` as the point file `name` and reads it to its end: once as a file of known size and
/// once as a pipe with other chunk sizes, with and without a weight column. Aborts if the two
/// disagree. `part` selects a cloud of files that hold several. Any Error(input) or Error(usage) is
/// fine.
void read_points_both_ways(const std::string& name, const std::uint8_t* bytes, std::size_t count,
                           const std::string& part = "");

}  // namespace skde::fuzz
