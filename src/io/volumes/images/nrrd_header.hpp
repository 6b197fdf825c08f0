#pragma once

#include <cstdint>
#include <string>

#include "io/bytes/byte_source.hpp"
#include "io/scalar_type.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

enum class NrrdEncoding { raw, text, gzip, bzip2 };

/// Description of the values of an NRRD file and of their place.
struct NrrdHeader {
  FileAxes axes;
  Grid grid;
  bool placed = false;  ///< the header states the position of the values
  std::string space;    ///< directions of the axes, in lower case
  VolumeFields fields;
  std::string units;  ///< of the coordinates along all axes; empty if they differ
  ScalarType type = ScalarType::f32;
  std::string endian;  ///< "little" or "big" if the file states it
  NrrdEncoding encoding = NrrdEncoding::raw;
  std::string data_file;        ///< beside the header; empty: the values follow the header
  std::uint64_t line_skip = 0;  ///< lines before the values
  std::int64_t byte_skip = 0;   ///< bytes after those lines; -1: raw values end the file
};

/// Reads the header; the source is then after the empty line that ends it, or at its end. Throws
/// Error(input) if the header is broken or describes what skde does not support.
NrrdHeader read_nrrd_header(BufferedSource& source);

}  // namespace skde::io
