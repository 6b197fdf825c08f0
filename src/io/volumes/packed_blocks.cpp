#include "io/volumes/packed_blocks.hpp"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "io/volumes/refused_volume.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{64} << 20;  // unpacked in parallel
constexpr std::uint64_t kLargestLz4 = LZ4_MAX_INPUT_SIZE;

bool unpack_lzma(const char* from, std::uint64_t packed_bytes, char* to, std::uint64_t bytes) {
  // The window is as large as the header demands; the largest preset needs 64 MiB.
  std::uint64_t memory = std::uint64_t{80} << 20;
  std::size_t in = 0, out = 0;
  return lzma_stream_buffer_decode(&memory, 0, nullptr, reinterpret_cast<const std::uint8_t*>(from),
                                   &in, packed_bytes, reinterpret_cast<std::uint8_t*>(to), &out,
                                   bytes) == LZMA_OK &&
         out == bytes;
}

bool unpack(Packing packing, const char* from, char* to, PackedBlock block) {
  if (packing == Packing::lzma) return unpack_lzma(from, block.packed_bytes, to, block.bytes);
  if (packing == Packing::lz4)
    return block.packed_bytes <= kLargestLz4 && block.bytes <= kLargestLz4 &&
           LZ4_decompress_safe(from, to, static_cast<int>(block.packed_bytes),
                               static_cast<int>(block.bytes)) == static_cast<int>(block.bytes);
  uLongf size = block.bytes;
  return uncompress(reinterpret_cast<Bytef*>(to), &size, reinterpret_cast<const Bytef*>(from),
                    static_cast<uLong>(block.packed_bytes)) == Z_OK &&
         size == block.bytes;
}

class BlockSource final : public ByteSource {
 public:
  BlockSource(BufferedSource& packed, Packing packing, std::vector<PackedBlock> blocks)
      : packed_(packed), packing_(packing), blocks_(std::move(blocks)) {
    for (const PackedBlock& block : blocks_) total_ += block.bytes;
  }

  const std::string& name() const override { return packed_.name(); }
  std::optional<std::uint64_t> size() const override { return total_; }
  bool seekable() const override { return false; }
  void seek(std::uint64_t) override {}

  std::size_t read(char* to, std::size_t most) override {
    if (next_ == count_) unpack_more();
    const std::size_t count = std::min(most, count_ - next_);
    if (count > 0) std::memcpy(to, bytes_.get() + next_, count);
    next_ += count;
    return count;
  }

 private:
  void unpack_more() {
    std::size_t end = first_, packed_bytes = 0, bytes = 0;
    while (end < blocks_.size() && (end == first_ || bytes < kBytesAtOnce)) {
      packed_bytes += blocks_[end].packed_bytes;
      bytes += blocks_[end++].bytes;
    }
    std::vector<char> packed(packed_bytes);
    if (packed_.read(packed.data(), packed_bytes) != packed_bytes)
      refuse_volume(name(), "ends in the middle of its values; the file is broken or truncated");
    // Left uninitialised, so that a broken block does not take the memory that it only promises.
    if (bytes > capacity_) {
      bytes_.reset();
      bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
      capacity_ = bytes;
    }
    count_ = bytes;
    next_ = 0;
    if (!unpack_blocks(packed, std::span(blocks_).subspan(first_, end - first_)))
      refuse_volume(name(), "a compressed block cannot be decompressed; the file is broken");
    first_ = end;
  }

  /// Returns false if a block is broken.
  bool unpack_blocks(const std::vector<char>& packed, std::span<const PackedBlock> blocks) {
    std::vector<std::uint64_t> from(blocks.size()), at(blocks.size());
    for (std::size_t b = 1; b < blocks.size(); ++b) {
      from[b] = from[b - 1] + blocks[b - 1].packed_bytes;
      at[b] = at[b - 1] + blocks[b - 1].bytes;
    }
    std::atomic<bool> good = true;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (!unpack(packing_, packed.data() + from[b], bytes_.get() + at[b], blocks[b])) good = false;
    return good;
  }

  BufferedSource& packed_;
  Packing packing_;
  std::vector<PackedBlock> blocks_;
  std::size_t first_ = 0;  // first block that is still packed
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0, count_ = 0, next_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

std::uint64_t most_unpacked(Packing packing, std::uint64_t packed_bytes) {
  // The largest ratios of the methods: the longest match, repeated, in the fewest bits.
  switch (packing) {
    case Packing::zlib:
      return 1032 * packed_bytes;
    case Packing::lz4:
      return 255 * packed_bytes;
    case Packing::lzma:
      return 8192 * packed_bytes;
    case Packing::none:
      break;
  }
  return packed_bytes;
}

std::unique_ptr<ByteSource> block_source(BufferedSource& packed, Packing packing,
                                         std::vector<PackedBlock> blocks) {
  return std::make_unique<BlockSource>(packed, packing, std::move(blocks));
}

}  // namespace skde::io
