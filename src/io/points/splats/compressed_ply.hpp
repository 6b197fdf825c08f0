#pragma once

#include <string>
#include <string_view>

#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

/// Returns true if the first bytes of a file are those of PLY with an element "chunk".
bool is_compressed_ply(std::string_view head);

/// Reads compressed PLY as published by PlayCanvas: elements chunk, vertex and, optionally, sh;
/// chunks with or without ranges of colours. An opacity of 0 or 1 is read as 1e-6 from it. Throws
/// Error(input) if the file is broken or promises more than it can hold, before memory is asked
/// for.
SplatCloud read_compressed_ply(BufferedSource source, std::int64_t most_bytes = 0);

/// Writes compressed PLY, at most three bands of harmonics. Splats are best in an order in which
/// the 256 of a chunk lie together (see splat_order.hpp). In each chunk, coordinates and logarithms
/// of scales have steps of a 2047th (x and z) or 1023rd (y) of their range, colours of a 255th;
/// opacities have steps of 1/255, the smallest three parts of rotations of sqrt(2)/1023, harmonics
/// of 1/32 from -4 to 4. Throws Error(input) that names the splat whose coordinate is beyond float,
/// and Error(output) if writing fails.
void write_compressed_ply(const std::string& path, const SplatCloud& splats, Progress& progress);

}  // namespace skde::io
