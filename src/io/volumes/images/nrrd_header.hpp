#pragma once

#include <cstdint>
#include <string>

#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

enum class NrrdEncoding { raw, text, gzip, bzip2 };

/// What the header of an NRRD file says of its values and where they lie.
struct NrrdHeader {
  FileAxes axes;
  Grid grid;
  bool placed = false;  ///< it says where the values lie
  std::string space;    ///< which way the axes point, in lower case
  VolumeFields fields;
  std::string units;  ///< of the coordinates along all axes; empty where they differ
  ScalarType type = ScalarType::f32;
  std::string endian;  ///< "little" or "big" where the file tells it
  NrrdEncoding encoding = NrrdEncoding::raw;
  std::string data_file;        ///< beside the header's; empty: the values follow the header
  std::uint64_t line_skip = 0;  ///< lines before the values
  std::int64_t byte_skip = 0;   ///< bytes behind those; -1: raw values end with the file
};

/// Reads the header; the source then stands behind the empty line that ends it, or at its end.
/// Error(input) where it is broken or describes what skde does not read.
NrrdHeader read_nrrd_header(BufferedSource& source);

}  // namespace skde::io
