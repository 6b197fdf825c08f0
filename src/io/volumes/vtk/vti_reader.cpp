#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/volumes/refused_volume.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/text_values.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/vtk/vti_header.hpp"

namespace skde::io {
namespace {

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
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  bool seekable() const override { return false; }
  void seek(std::uint64_t) override {}

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
      refuse_volume(name(), "its base64 data hold invalid characters; the file is broken");
    if (digit == kPadding) ++padding_;
    unit_ = unit_ << 6 | (digit == kPadding ? 0u : digit);
    if (++count_ < 4) return;
    for (unsigned byte = 0; byte < 3 - padding_; ++byte)
      bytes_[ready_++] = static_cast<char>(unit_ >> (16 - 8 * byte) & 0xff);
    unit_ = count_ = padding_ = 0;
  }

  void end() {
    ended_ = true;
    if (count_ != 0) refuse_volume(name(), "its base64 data are truncated");
  }

  BufferedSource& text_;
  std::array<char, 3 << 14> bytes_{};
  std::size_t next_ = 0, ready_ = 0;
  unsigned unit_ = 0, count_ = 0, padding_ = 0;  // of the four digits being read
  bool ended_ = false;
};

/// Decodes base64 text from the position of `text` up to its end or to a '<'. Padded units may
/// follow each other, as a header and its data do. Throws Error(input) if the text is not base64.
/// `text` must outlive the source.
std::unique_ptr<ByteSource> base64_source(BufferedSource& text) {
  return std::make_unique<Base64Source>(text);
}

[[noreturn]] void refuse_values(const BufferedSource& source, std::string_view what) {
  refuse_volume(source.name(), fmt::format("{}; the file is broken or truncated", what));
}

/// Reads one of the sizes before the data.
std::uint64_t read_size(BufferedSource& data, const VtiHeader& header) {
  unsigned char bytes[8];
  if (data.read(reinterpret_cast<char*>(bytes), header.size_bytes) < header.size_bytes)
    refuse_values(data, "ends before its data");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < header.size_bytes; ++i)
    value = value << 8 | bytes[header.big_endian ? i : header.size_bytes - 1 - i];
  return value;
}

/// Bytes of all values of the grid. Throws if the number overflows.
std::uint64_t bytes_of_values(const BufferedSource& data, const VtiHeader& header) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(header.grid.cells()),
                             std::uint64_t{size_of(header.type)}, &bytes))
    refuse_values(data, "has more values than any file can hold");
  return bytes;
}

Volume read_bare(BufferedSource& data, const VtiHeader& header) {
  const std::uint64_t bytes = read_size(data, header), wanted = bytes_of_values(data, header);
  if (bytes != wanted)
    refuse_values(data, fmt::format("has {} bytes for {} values", bytes, header.grid.cells()));
  return read_values(data, header.grid, header.type, header.big_endian);
}

/// Reads the sizes of all blocks and checks them against the volume and the file before anything is
/// allocated for the data. `left` is the number of bytes that the file can still hold.
std::vector<PackedBlock> read_blocks(BufferedSource& data, const VtiHeader& header,
                                     std::uint64_t left) {
  const std::uint64_t count = read_size(data, header), size = read_size(data, header),
                      last = read_size(data, header);
  std::uint64_t promised = 0;
  if (count == 0 || size == 0 || last >= size || count > left / header.size_bytes ||
      __builtin_mul_overflow(last > 0 ? count - 1 : count, size, &promised) ||
      __builtin_add_overflow(promised, last, &promised) ||
      promised != bytes_of_values(data, header))
    refuse_values(data, "its compressed blocks do not match its values");
  std::vector<PackedBlock> blocks(count);
  std::uint64_t packed = 0;
  for (std::uint64_t b = 0; b < count; ++b) {
    PackedBlock& block = blocks[b];
    block = {read_size(data, header), b + 1 == count && last > 0 ? last : size};
    if (block.packed_bytes > left || (packed += block.packed_bytes) > left)
      refuse_values(data, "its compressed blocks are larger than the file");
    if (block.bytes > most_unpacked(header.packing, block.packed_bytes))
      refuse_values(data, "a compressed block is too short for its values");
  }
  return blocks;
}

/// Reads from the sizes on; `left` as above.
Volume read_bytes(BufferedSource& data, const VtiHeader& header, std::uint64_t left) {
  if (header.packing == Packing::none) return read_bare(data, header);
  BufferedSource unpacked(block_source(data, header.packing, read_blocks(data, header, left)));
  return read_values(unpacked, header.grid, header.type, header.big_endian);
}

Volume read_encoded(BufferedSource& source, const VtiHeader& header) {
  const std::uint64_t left = source.size().value_or(0) - source.position();
  if (header.encoding == VtiEncoding::raw) return read_bytes(source, header, left);
  if (header.encoding == VtiEncoding::text)
    return read_text_values(source, header.grid, header.type);
  BufferedSource decoded(base64_source(source));
  return read_bytes(decoded, header, left / 4 * 3);
}

/// In a file of several volumes, a volume that is not a density is named after its array.
DensityMetadata metadata_of(const VtiHeader& header) {
  DensityMetadata metadata = metadata_from(header.fields);
  if (header.arrays.size() > 1) name_values(metadata, header.array);
  return metadata;
}

}  // namespace

VolumeHead read_vti_head(const std::string& path, const std::string& field,
                         const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const VtiHeader header = read_vti_header(source, field);
  return {header.grid, true, metadata_of(header), header.arrays, header.array};
}

VolumeFile read_vti(const std::string& path, const std::string& field, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const VtiHeader header = read_vti_header(source, field);
  if (header.position > source.size().value_or(0))
    refuse_values(source, "its data begin after its end");
  source.seek(header.position);
  Volume volume = read_encoded(source, header);
  put_in_order(volume, header.axes);
  return {std::move(volume), metadata_of(header), true, {}, header.arrays, header.array};
}

}  // namespace skde::io
