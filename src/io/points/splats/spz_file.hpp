#pragma once

#include <string>
#include <string_view>

#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

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
/// coordinates as integers of 24 bits in
/// steps of 2^-b, with the largest b up to 30 that holds them all; logarithms of scales in steps of
/// 1/16 from -10 (smaller ones become -10) to 5.9375; rotations within 7e-4 in each of the smallest
/// three parts, or in version 2 1/255 in x, y and z; opacities in steps of 1/255; f_dc in steps of
/// 1/38.25 between +-10/3; harmonics in steps of 1/128 from -1 to 127/128. Colours and harmonics
/// beyond become the nearest. Throws Error(input) that names the splat whose coordinate is beyond
/// 8388607 or whose scale is beyond exp(5.96875), and Error(output) if writing fails.
void write_spz(const std::string& path, const SplatCloud& splats, Progress& progress,
               int version = kUsualSpz);

}  // namespace skde::io
