#pragma once

#include "io/bytes/byte_source.hpp"
#include "io/hdf5_handle.hpp"

namespace skde::io {

/// Opens what a source holds; all of it is held in memory where that cannot be read at any place.
/// Error(input) where libhdf5 cannot, or parts of it are stored in other files.
Hdf5Handle open_hdf5_file(BufferedSource source);

}  // namespace skde::io
