#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/packed_blocks.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// How the bytes, or the numbers, of an array are written down.
enum class VtiEncoding { raw, base64, text };

/// What the XML of a VTK image file says of its one scalar array and where that lies.
struct VtiHeader {
  FileAxes axes;
  Grid grid;
  VolumeFields fields;
  std::vector<std::string> arrays;  ///< names of all of one component, where there are several
  std::string array;                ///< of the one that the rest is about
  ScalarType type = ScalarType::f32;
  VtiEncoding encoding = VtiEncoding::raw;
  bool big_endian = false;
  Packing packing = Packing::none;
  std::size_t size_bytes = 4;  ///< width of the sizes before the data
  std::uint64_t position = 0;  ///< of those sizes in the file, or of the first number as text
};

/// Reads the XML around or before the data. Throws Error(input) where it is broken, or where the
/// file is of a kind that skde does not read: other data than images, several pieces, rotated
/// images. Error(unsupported) where this build cannot unpack it. `array`: the name of one; empty:
/// `density`, or else the first one.
VtiHeader read_vti_header(BufferedSource& source, const std::string& array = {});

}  // namespace skde::io
