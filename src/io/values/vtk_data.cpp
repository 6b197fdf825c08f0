#include "io/values/vtk_data.hpp"

#include <fmt/core.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

[[noreturn]] void refuse(const std::string& name, std::string_view what,
                         std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, what), {{}, std::move(suggestion)});
}

constexpr std::uint8_t kNone = 255, kBlank = 254, kPadding = 253, kEnd = 252;

constexpr std::array<std::uint8_t, 256> digit_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNone);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    table[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  for (const char c : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(c)] = kBlank;
  table['='] = kPadding;
  table['<'] = kEnd;
  return table;
}
constexpr std::array<std::uint8_t, 256> kTable = digit_table();

class Base64Source final : public ByteSource {
 public:
  explicit Base64Source(BufferedSource& text) : text_(text) {}

  const std::string& name() const override { return text_.name(); }

  std::size_t read(char* to, std::size_t most) override {
    std::size_t done = 0;
    while (done < most) {
      if (next_ == ready_ && !decode_more()) break;
      const std::size_t count = std::min(most - done, ready_ - next_);
      std::memcpy(to + done, bytes_.data() + next_, count);
      next_ += count;
      done += count;
    }
    return done;
  }

 private:
  /// Decodes available text into bytes_; returns false at the end.
  bool decode_more() {
    next_ = ready_ = 0;
    while (ready_ == 0 && !ended_) {
      const std::string_view text = text_.peek(1).substr(0, bytes_.size() / 3 * 4);
      std::size_t taken = 0;
      while (taken < text.size() && !ended_) {
        take(kTable[static_cast<unsigned char>(text[taken])]);
        if (!ended_) ++taken;
      }
      if (text.empty()) end();
      text_.skip(taken);
    }
    return ready_ > 0;
  }

  void take(std::uint8_t digit) {
    if (digit == kBlank) return;
    if (digit == kEnd) return end();
    if (digit == kNone || (padding_ > 0 && digit != kPadding) || (digit == kPadding && count_ < 2))
      refuse(name(), "its base64 data hold invalid characters; the file is broken");
    if (digit == kPadding) ++padding_;
    unit_ = unit_ << 6 | (digit == kPadding ? 0u : digit);
    if (++count_ < 4) return;
    for (unsigned byte = 0; byte < 3 - padding_; ++byte)
      bytes_[ready_++] = static_cast<char>(unit_ >> (16 - 8 * byte) & 0xff);
    unit_ = count_ = padding_ = 0;
  }

  void end() {
    ended_ = true;
    if (count_ != 0) refuse(name(), "its base64 data are truncated");
  }

  BufferedSource& text_;
  std::array<char, 3 << 14> bytes_{};
  std::size_t next_ = 0, ready_ = 0;
  unsigned unit_ = 0, count_ = 0, padding_ = 0;  // of the four digits being read
  bool ended_ = false;
};

struct PackedBlock {
  std::uint64_t packed_bytes = 0, bytes = 0;
};

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
      refuse(name(), "ends in the middle of its values; the file is broken or truncated");
    // Left uninitialised, so that a broken block does not take the memory that it only promises.
    if (bytes > capacity_) {
      bytes_.reset();
      bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
      capacity_ = bytes;
    }
    count_ = bytes;
    next_ = 0;
    if (!unpack_blocks(packed, std::span(blocks_).subspan(first_, end - first_)))
      refuse(name(), "a compressed block cannot be decompressed; the file is broken");
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

/// Returns the most bytes that a block can unpack to; a block that claims more is broken.
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

[[noreturn]] void refuse_values(const BufferedSource& source, std::string_view what) {
  refuse(source.name(), fmt::format("{}; the file is broken or truncated", what));
}

/// Reads one of the sizes before the data.
std::uint64_t read_size(BufferedSource& data, const VtkEncoding& encoding) {
  unsigned char bytes[8];
  if (data.read(reinterpret_cast<char*>(bytes), encoding.size_bytes) < encoding.size_bytes)
    refuse_values(data, "ends before its data");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < encoding.size_bytes; ++i)
    value = value << 8 | bytes[encoding.big_endian ? i : encoding.size_bytes - 1 - i];
  return value;
}

/// Reads the sizes of all blocks and checks them against the array and the file.
std::vector<PackedBlock> read_blocks(BufferedSource& data, const VtkEncoding& encoding,
                                     std::uint64_t wanted, std::uint64_t left) {
  const std::uint64_t count = read_size(data, encoding), size = read_size(data, encoding),
                      last = read_size(data, encoding);
  std::uint64_t promised = 0;
  if (count == 0 || size == 0 || last >= size || count > left / encoding.size_bytes ||
      __builtin_mul_overflow(last > 0 ? count - 1 : count, size, &promised) ||
      __builtin_add_overflow(promised, last, &promised) || promised != wanted)
    refuse_values(data, "its compressed blocks do not match its values");
  std::vector<PackedBlock> blocks(count);
  std::uint64_t packed = 0;
  for (std::uint64_t b = 0; b < count; ++b) {
    PackedBlock& block = blocks[b];
    block = {read_size(data, encoding), b + 1 == count && last > 0 ? last : size};
    if (block.packed_bytes > left || (packed += block.packed_bytes) > left)
      refuse_values(data, "its compressed blocks are larger than the file");
    if (block.bytes > most_unpacked(encoding.packing, block.packed_bytes))
      refuse_values(data, "a compressed block is too short for its values");
  }
  return blocks;
}

}  // namespace

Packing vtk_packing(const std::string& name, std::string_view compressor) {
  using Row = std::pair<std::string_view, Packing>;
  static constexpr std::array<Row, 4> kPackings{{{"", Packing::none},
                                                 {"vtkZLibDataCompressor", Packing::zlib},
                                                 {"vtkLZ4DataCompressor", Packing::lz4},
                                                 {"vtkLZMADataCompressor", Packing::lzma}}};
  for (const auto& [compressor_name, packing] : kPackings)
    if (compressor_name == compressor) return packing;
  refuse(name, fmt::format("is compressed with {}", excerpt(compressor)),
         "save it uncompressed or with zlib");
}

std::unique_ptr<ByteSource> base64_source(BufferedSource& text) {
  return std::make_unique<Base64Source>(text);
}

std::unique_ptr<ByteSource> vtk_array(BufferedSource& data, const VtkEncoding& encoding,
                                      std::uint64_t values, std::size_t bytes_each,
                                      std::uint64_t left) {
  std::uint64_t wanted = 0;
  if (__builtin_mul_overflow(values, std::uint64_t{bytes_each}, &wanted))
    refuse_values(data, "has more values than any file can hold");
  if (encoding.packing != Packing::none)
    return std::make_unique<BlockSource>(data, encoding.packing,
                                         read_blocks(data, encoding, wanted, left));
  const std::uint64_t bytes = read_size(data, encoding);
  if (bytes != wanted)
    refuse_values(data, bytes > left ? "an array is truncated"
                                     : fmt::format("has {} bytes for {} values", bytes, values));
  return nullptr;
}

}  // namespace skde::io
