#pragma once

#include <cstddef>
#include <cstdint>

#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::fuzz {

/// Reads `bytes` as splats, once as a file of known size and once as a pipe. Aborts if the two give
/// other splats, or if the columns of a cloud differ in length. Any Error(input) is fine, and a
/// pipe may be refused where the file is not.
void read_splats_both_ways(io::SplatCloud (*read)(io::BufferedSource, std::int64_t),
                           const std::uint8_t* bytes, std::size_t count);

}  // namespace skde::fuzz
