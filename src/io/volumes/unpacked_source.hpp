#pragma once

#include <memory>

#include "io/byte_source.hpp"

namespace skde::io {

/// The bytes that zlib or gzip packed, of one member or of several after each other, from the
/// position of `packed` on up to its end. Error(input) where they are broken or cut short, or where
/// other bytes follow. `packed` must outlive the source.
std::unique_ptr<ByteSource> inflated_source(BufferedSource& packed);
/// The same of bzip2.
std::unique_ptr<ByteSource> bunzipped_source(BufferedSource& packed);

}  // namespace skde::io
