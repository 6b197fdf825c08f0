#pragma once

#include <memory>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// The bytes that base64 text says, from the position of `text` on up to its end or to a '<'.
/// Units that are padded may follow each other, as a header and its data do. Error(input) where the
/// text is no base64. `text` must outlive the source.
std::unique_ptr<ByteSource> base64_source(BufferedSource& text);

}  // namespace skde::io
