#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/values/scalar_type.hpp"
#include "io/values/vtk_data.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/volume_fields.hpp"

namespace skde::io {

/// Form of an array's bytes or numbers.
enum class VtiForm { raw, base64, text };

/// What the XML of a VTK image file states of one scalar array and its position.
struct VtiHeader {
  FileAxes axes;
  Grid grid;
  VolumeFields fields;
  std::vector<std::string> arrays;  ///< names of all arrays with one component, if there are
                                    ///< several
  std::string array;                ///< the array that the rest describes
  ScalarType type = ScalarType::f32;
  VtiForm form = VtiForm::raw;
  VtkEncoding encoding;
  std::uint64_t position =
      0;  ///< position of the sizes before the data, or of the first number as text
};

/// Reads the XML around or before the data. Throws Error(input) if it is broken, or if skde does
/// not read such a file: other data than images, several pieces, rotated images. Throws
/// Error(unsupported) if this build cannot unpack it. `array` is the name of an array; empty:
/// `density`, or else the first one.
VtiHeader read_vti_header(BufferedSource& source, const std::string& array = {});

}  // namespace skde::io
