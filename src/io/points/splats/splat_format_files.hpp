#pragma once

#include <string>

#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

// The functions behind the rows of splat_formats(); see SplatFormat for what they promise.

/// PLY with the columns of splat_columns(), in any encoding. Colours are 0 unless there are three.
/// Columns x_low, y_low and z_low are added to the centres.
SplatCloud read_splat_ply(BufferedSource source, std::int64_t most_bytes = 0);
/// PLY, binary and little-endian, all numbers as floats.
void write_splat_ply(const std::string& path, const SplatCloud& splats, Progress& progress);

/// SOG of version 2, or 1 in an archive. Members are found by the names that meta.json gives, which
/// are never paths. Each image is checked against the size of the archive before it is decoded.
SplatCloud read_sog(BufferedSource source, std::int64_t most_bytes = 0);
/// Binary glTF: the splats of all meshes by KHR_gaussian_splatting, as floats that are not
/// compressed. Nodes that move them are refused.
SplatCloud read_gltf_splats(BufferedSource source, std::int64_t most_bytes = 0);

/// SOG of version 2, harmonics of three bands at most.
void write_sog(const std::string& path, const SplatCloud& splats, Progress& progress);

}  // namespace skde::io
