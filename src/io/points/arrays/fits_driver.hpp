#pragma once

#include <fitsio.h>

#include <memory>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Opens a FITS file from its bytes, read-only; the source must be seekable. Returns cfitsio's
/// status.
int open_fits_bytes(std::shared_ptr<ByteSource> bytes, fitsfile** file);

}  // namespace skde::io
