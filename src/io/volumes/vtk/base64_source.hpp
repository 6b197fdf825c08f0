#pragma once

#include <memory>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Decodes base64 text from the position of `text` up to its end or to a '<'. Padded units may
/// follow each other, as a header and its data do. Throws Error(input) if the text is not base64.
/// `text` must outlive the source.
std::unique_ptr<ByteSource> base64_source(BufferedSource& text);

}  // namespace skde::io
