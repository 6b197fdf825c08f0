#pragma once

#include <cstddef>
#include <cstdint>

#include "io/volumes/volume_formats.hpp"

namespace skde::fuzz {

/// Gives `bytes` to a reader of volumes as a file. Aborts where the reader gives a volume whose
/// values are not as many as its cells, or an error of more than one line; any error of the kinds
/// input and resources is fine.
void read_volume_bytes(io::VolumeFile (*read)(const std::string& path, const io::OpenFiles& files),
                       const std::uint8_t* bytes, std::size_t count);

/// The same of a format that a process of its own reads: whatever becomes of that, the answer is a
/// volume or an error.
void read_volume_bytes_sandboxed(const std::string& format, const std::uint8_t* bytes,
                                 std::size_t count);

}  // namespace skde::fuzz
