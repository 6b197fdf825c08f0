#pragma once

#include "io/bytes/byte_source.hpp"
#include "io/hdf5_handle.hpp"

namespace skde::io {

/// Opens the HDF5 file in a source; a source that is not seekable is first read into memory. Throws
/// Error(input) if libhdf5 cannot open it, or if parts of it are stored in other files.
Hdf5Handle open_hdf5_file(BufferedSource source);

}  // namespace skde::io
