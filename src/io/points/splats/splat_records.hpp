#pragma once

#include <string>

#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

/// Reads .splat: 32 bytes a splat without a header, as published in antimatter15/splat. Quaternions
/// are made unit ones; bytes of no rotation at all are read as none. An opacity of 0 or 1 is read
/// as 1e-6 from it. Throws Error(input) if there are no splats, if the last is cut short, or if a
/// source without a size, such as a pipe, has more than 1 GiB.
SplatCloud read_splat_records(BufferedSource source, std::int64_t most_bytes = 0);

/// Writes .splat, in the order of the splats: coordinates and scales as floats; opacities and
/// colours in steps of 1/255, colours from 0 to 1; parts of rotations in steps of 1/128. Harmonics
/// are left out: the format has none. Throws Error(input) that names the splat whose coordinate or
/// scale is beyond float, and Error(output) if writing fails.
void write_splat_records(const std::string& path, const SplatCloud& splats, Progress& progress);

}  // namespace skde::io
