#pragma once

#include "io/bytes/byte_source.hpp"
#include "io/hdf5_handle.hpp"

namespace skde::io {

/// Opens the file behind a source, or, where there is none, all its bytes in memory. Error(input)
/// where libhdf5 cannot, or parts of it are stored in other files.
Hdf5Handle open_hdf5_file(BufferedSource& source);

}  // namespace skde::io
