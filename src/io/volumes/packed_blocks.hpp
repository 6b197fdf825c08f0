#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// What VTK packs blocks of bytes with.
enum class Packing { none, zlib, lz4, lzma };

struct PackedBlock {
  std::uint64_t packed_bytes = 0, bytes = 0;
};

/// The most bytes that a block can unpack to: what claims more is broken.
std::uint64_t most_unpacked(Packing packing, std::uint64_t packed_bytes);

/// The bytes of blocks that lie one after another from the position of `packed` on, unpacked on all
/// threads. Error(input) where a block is broken or missing. `packed` must outlive the source.
std::unique_ptr<ByteSource> block_source(BufferedSource& packed, Packing packing,
                                         std::vector<PackedBlock> blocks);

}  // namespace skde::io
