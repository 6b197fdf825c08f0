#pragma once

#include <cstddef>
#include <cstdint>

#include "io/volumes/volume_formats.hpp"

namespace skde::fuzz {

/// Passes `bytes` to a reader of volumes as a file. Aborts if the volume's values are not as many
/// as its cells, or if an error has more than one line. Any error of the kinds input and resources
/// is fine.
void read_volume_bytes(io::VolumeFile (*read)(const std::string& path, const io::OpenFiles& files),
                       const std::uint8_t* bytes, std::size_t count);

/// The same for a format that a separate process reads: whatever happens to that process, the
/// result is a volume or an error.
void read_volume_bytes_sandboxed(const std::string& format, const std::uint8_t* bytes,
                                 std::size_t count);

/// Passes `bytes` to the reader of meshes with this extension. Aborts if a triangle has a corner
/// that is no point, or if an error has more than one line.
void read_mesh_bytes(const std::string& extension, const std::uint8_t* bytes, std::size_t count);

}  // namespace skde::fuzz
