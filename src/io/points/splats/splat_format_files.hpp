#pragma once

#include <string>
#include <string_view>

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

/// Returns true if the first bytes of a file, unpacked, are those of .spz.
bool is_spz(std::string_view head);

/// Reads .spz of version 2, 3 (packed by gzip as a whole, or unpacked) or 4 (streams of zstd), as
/// published in nianticlabs/spz. Axes are kept as they are stored, as the published converters do,
/// unless an extension says that they are others than usual. An opacity of 0 or 1 is read as 1e-6
/// from it. Throws Error(input) if the file is broken or promises more than it can hold, before
/// memory is asked for.
SplatCloud read_spz(BufferedSource source, std::int64_t most_bytes = 0);

inline constexpr int kOldestSpz = 2, kUsualSpz = 3, kNewestSpz = 4;

/// Writes .spz of a version from kOldestSpz to kNewestSpz; most programs read the usual one:
/// coordinates as integers of 24 bits in steps of 2^-b, with the largest b up to 30 that holds them
/// all; logarithms of scales in steps of 1/16 from -10 (smaller ones become -10) to 5.9375;
/// rotations within 7e-4 in each of the smallest three parts, or in version 2 1/255 in x, y and z;
/// opacities in steps of 1/255; f_dc in steps of 1/38.25 between +-10/3; harmonics in steps of
/// 1/128 from -1 to 127/128. Colours and harmonics beyond become the nearest. Throws Error(input)
/// that names the splat whose coordinate is beyond 8388607 or whose scale is beyond exp(5.96875),
/// and Error(output) if writing fails.
void write_spz(const std::string& path, const SplatCloud& splats, Progress& progress,
               int version = kUsualSpz);

}  // namespace skde::io
