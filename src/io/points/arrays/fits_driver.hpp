#pragma once

#include <fitsio.h>

#include <memory>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Opens the FITS file whose bytes these are, read-only; the source has to be seekable. Returns
/// cfitsio's status.
int open_fits_bytes(std::shared_ptr<ByteSource> bytes, fitsfile** file);

}  // namespace skde::io
