#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// Bytes of the header of NIfTI-1, and of the flag for extensions behind it.
inline constexpr std::size_t kNiftiHeader = 348, kNiftiLead = kNiftiHeader + 4;
/// An extension of plain text, in which skde keeps its fields.
inline constexpr std::int32_t kNiftiComment = 6;

/// What a NIfTI-1 file says of its values and where they lie.
struct NiftiHeader {
  FileAxes axes;
  Grid grid;
  bool placed = false;
  VolumeFields fields;
  std::string units;  ///< of the coordinates: "m", "mm", "um" or empty
  ScalarType type = ScalarType::f32;
  bool big_endian = false;
  double slope = 1, intercept = 0;  ///< from stored to true values
  bool is_pair = false;             ///< the values are in another file, "a.img" of "a.hdr",
  std::uint64_t offset = 0;         ///< and begin there
};

/// Reads the header and its extensions; the source then stands at the first value, where the file
/// has values. Error(input) where it is broken or describes what skde does not read.
NiftiHeader read_nifti_header(BufferedSource& source);

/// The header with the fields as an extension and `blanks` more bytes in that. Error(output) where
/// the format cannot hold the grid.
std::string nifti_head(const std::string& path, const Grid& grid, Precision precision,
                       const std::string& units, const VolumeFields& fields, std::size_t blanks);

}  // namespace skde::io
