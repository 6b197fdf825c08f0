#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Returns `source` itself or, if its first bytes are those of gzip, bzip2, xz or zstd, its
/// unpacked bytes, unpacked as they are read. Needs at most 128 MiB of memory; the unpacked size is
/// unknown. Reading throws Error(input) if the packed bytes are broken, cut short or followed by
/// others.
BufferedSource decompressed(BufferedSource source);

/// Unpacks raw deflate data, as ZIP archives hold them; nothing may follow them.
BufferedSource inflated(std::unique_ptr<ByteSource> packed);

/// Unpack zlib or gzip data (the first bytes decide), and bzip2 data; for values that a header
/// declares as packed.
BufferedSource unpacked_zlib(BufferedSource packed);
BufferedSource unpacked_bzip2(BufferedSource packed);

/// Returns the name without the extension of a packer: "points.csv" of "points.csv.gz".
std::string_view without_packer_extension(std::string_view name);

/// Packs bytes as a zlib stream at this level, 1 (fast) to 9. `packed` is replaced. Returns false
/// if memory is short.
bool pack_zlib(std::string_view bytes, int level, std::vector<unsigned char>& packed);

}  // namespace skde::io
