#pragma once

#include <memory>

#include "io/bytes/byte_source.hpp"
#include "io/hdf5_handle.hpp"

namespace skde::io {

/// Opens the HDF5 file whose bytes these are, read-only; the source has to be seekable. A handle of
/// nothing where libhdf5 cannot.
Hdf5Handle open_hdf5_bytes(const std::shared_ptr<ByteSource>& bytes);

}  // namespace skde::io
