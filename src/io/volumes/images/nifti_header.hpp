#pragma once

#include <cstdint>
#include <string>

#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// Bytes of the NIfTI-1 header, and of header and extension flag together.
inline constexpr std::size_t kNiftiHeader = 348, kNiftiLead = kNiftiHeader + 4;
/// Code of a plain text extension, in which skde keeps its fields.
inline constexpr std::int32_t kNiftiComment = 6;

/// Returns the header, with the fields and `blanks` more bytes as an extension. Throws
/// Error(output) if the format cannot hold the grid.
std::string nifti_head(const std::string& path, const Grid& grid, Precision precision,
                       const std::string& units, const VolumeFields& fields, std::size_t blanks);

}  // namespace skde::io
