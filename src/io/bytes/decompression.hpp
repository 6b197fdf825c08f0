#pragma once

#include <memory>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// The bytes that `source` holds: itself, or, where its first bytes are those of gzip, bzip2, xz or
/// zstd, what they unpack to, as it is read. Within 128 MiB of memory; the size is not known then.
/// Reading throws Error(input) where the packed bytes are broken, cut short or followed by others.
BufferedSource decompressed(BufferedSource source);

/// What raw deflate data unpack to, as ZIP archives hold them; nothing may follow them.
BufferedSource inflated(std::unique_ptr<ByteSource> packed);

/// What zlib or gzip packed, whichever the first bytes say, and what bzip2 did; for values that a
/// header says to be packed.
BufferedSource unpacked_zlib(BufferedSource packed);
BufferedSource unpacked_bzip2(BufferedSource packed);

/// The name without the extension of a packer: "points.csv" of "points.csv.gz".
std::string_view without_packer_extension(std::string_view name);

}  // namespace skde::io
