#pragma once

#include <memory>

#include "io/bytes/byte_source.hpp"
#include "io/hdf5_handle.hpp"

namespace skde::io {

/// Opens an HDF5 file from its bytes, read-only; the source must be seekable. Returns an empty
/// handle if libhdf5 cannot open it.
Hdf5Handle open_hdf5_bytes(const std::shared_ptr<ByteSource>& bytes);

}  // namespace skde::io
