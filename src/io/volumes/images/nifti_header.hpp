#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "io/bytes/byte_source.hpp"
#include "io/values/scalar_type.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// Bytes of the NIfTI-1 header, and of header and extension flag together.
inline constexpr std::size_t kNiftiHeader = 348, kNiftiLead = kNiftiHeader + 4;
/// Code of a plain text extension, in which skde keeps its fields.
inline constexpr std::int32_t kNiftiComment = 6;

/// Description of the values of a NIfTI-1 file and of their place.
struct NiftiHeader {
  FileAxes axes;
  Grid grid;
  bool placed = false;
  VolumeFields fields;
  std::string units;  ///< unit of the coordinates: "m", "mm", "um" or empty
  ScalarType type = ScalarType::f32;
  bool big_endian = false;
  double slope = 1, intercept = 0;  ///< from stored to actual values
  bool is_pair = false;             ///< the values are in another file, "a.img" of "a.hdr"
  std::uint64_t offset = 0;         ///< where the values begin in their file
};

/// Reads the header and its extensions. If the file holds values, the source is then at the first
/// one. Throws Error(input) if the header is broken or describes what skde does not support.
NiftiHeader read_nifti_header(BufferedSource& source);

/// Returns the header, with the fields and `blanks` more bytes as an extension. Throws
/// Error(output) if the format cannot hold the grid.
std::string nifti_head(const std::string& path, const Grid& grid, Precision precision,
                       const std::string& units, const VolumeFields& fields, std::size_t blanks);

}  // namespace skde::io
