#pragma once

#include <cstdint>

#include "io/byte_source.hpp"
#include "io/scalar_type.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// What the XML of a VTK image file says of its one scalar array and where that lies.
struct VtiHeader {
  Grid grid;
  VolumeFields fields;
  ScalarType type = ScalarType::f32;
  bool big_endian = false;
  bool compressed = false;     ///< by zlib, in blocks
  std::size_t size_bytes = 4;  ///< width of the sizes before the data
  std::uint64_t position = 0;  ///< of those sizes in the file
};

/// Reads the XML before the appended data. Throws Error(input) where it is broken, or where the
/// file is of a kind that skde does not read: other data than images, inline or base64 data, other
/// compressors, rotated images.
VtiHeader read_vti_header(BufferedSource& source);

}  // namespace skde::io
