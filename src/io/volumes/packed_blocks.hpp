#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// How VTK packs blocks of bytes.
enum class Packing { none, zlib, lz4, lzma };

struct PackedBlock {
  std::uint64_t packed_bytes = 0, bytes = 0;
};

/// Returns the most bytes that a block can unpack to; a block that claims more is broken.
std::uint64_t most_unpacked(Packing packing, std::uint64_t packed_bytes);

/// Returns a source of the unpacked bytes of blocks that follow one another from the position of
/// `packed` on; all threads unpack. Throws Error(input) if a block is broken or missing. `packed`
/// must outlive the source.
std::unique_ptr<ByteSource> block_source(BufferedSource& packed, Packing packing,
                                         std::vector<PackedBlock> blocks);

}  // namespace skde::io
