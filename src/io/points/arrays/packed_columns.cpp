#include "io/points/arrays/packed_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

// LZF: a back reference of 3 bytes yields at most 264 bytes.
constexpr std::uint64_t kMostPackedGain = 88;

[[noreturn]] void refuse_packed(const BufferedSource& source, std::string_view why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}; the file is broken", source.name(), why),
              {{}, "fetch it again"});
}

std::uint32_t whole_of(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

/// Unpacks LZF: literal runs of bytes, and copies of earlier bytes. Returns false if the data are
/// broken or do not yield `whole` bytes.
bool unpack_lzf(std::string_view packed, std::size_t whole, std::string& bytes) {
  constexpr std::size_t kLiteral = 32, kLongCopy = 7;
  bytes.clear();
  bytes.reserve(whole);
  std::size_t at = 0;
  const auto next = [&] {
    return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++]));
  };
  while (at < packed.size()) {
    const std::size_t control = next();
    if (control < kLiteral) {
      const std::size_t count = control + 1;
      if (count > packed.size() - at || count > whole - bytes.size()) return false;
      bytes.append(packed, at, count);
      at += count;
      continue;
    }
    std::size_t count = control >> 5;
    if (count == kLongCopy) {
      if (at == packed.size()) return false;
      count += next();
    }
    if (at == packed.size()) return false;
    count += 2;
    const std::size_t back = ((control & 0x1f) << 8) + next() + 1;
    if (back > bytes.size() || count > whole - bytes.size()) return false;
    for (std::size_t i = 0; i < count; ++i) bytes += bytes[bytes.size() - back];
  }
  return bytes.size() == whole;
}

/// Reads the packed bytes into a string that grows as they arrive.
std::string read_packed(BufferedSource& source, std::uint64_t count) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 24;
  std::string packed;
  while (packed.size() < count) {
    const std::size_t have = packed.size();
    packed.resize(have + static_cast<std::size_t>(std::min(kStep, count - have)));
    if (source.read(packed.data() + have, packed.size() - have) < packed.size() - have)
      refuse_packed(source, "the compressed points are truncated");
  }
  return packed;
}

/// Transposes the selected fields from columns that follow one another to records of these fields
/// alone; the layout becomes that of the records.
std::string records_of(const std::string& columns, std::uint64_t rows, RecordLayout& layout) {
  struct Block {
    const char* from;
    std::size_t bytes, to;
  };
  std::vector<Block> blocks;
  std::size_t stride = 0;
  const auto take = [&](RecordField& field) {
    blocks.push_back({columns.data() + rows * field.offset, size_of(field.type), stride});
    field.offset = stride;
    stride += size_of(field.type);
  };
  std::ranges::for_each(layout.xyz, take);
  if (layout.weight) take(*layout.weight);
  std::ranges::for_each(layout.widths, take);
  layout.stride = stride;
  std::string records(rows * stride, '\0');
  for (const Block& block : blocks)
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(records.data() + row * stride + block.to, block.from + row * block.bytes,
                  block.bytes);
  return records;
}

}  // namespace

std::unique_ptr<PointReader> read_packed_columns(BufferedSource source, RecordLayout layout,
                                                 std::uint64_t rows) {
  std::string sizes(8, '\0');
  if (source.read(sizes.data(), sizes.size()) < sizes.size())
    refuse_packed(source, "the sizes of the compressed points are truncated");
  const std::uint64_t packed_bytes = whole_of(sizes, 0), whole = whole_of(sizes, 4);
  std::uint64_t promised = 0;
  if (__builtin_mul_overflow(rows, std::uint64_t{layout.stride}, &promised) || promised != whole)
    refuse_packed(source,
                  fmt::format("{} points of {} bytes differ from the {} bytes that are compressed",
                              rows, layout.stride, whole));
  if (whole > kMostPackedGain * packed_bytes)
    refuse_packed(source,
                  fmt::format("{} bytes cannot be compressed into {}", whole, packed_bytes));
  std::string bytes;
  if (!unpack_lzf(read_packed(source, packed_bytes), static_cast<std::size_t>(whole), bytes))
    refuse_packed(source, "the compressed points are invalid");
  if (!source.peek(1).empty()) refuse_packed(source, "more bytes follow the compressed points");
  std::string records = records_of(bytes, rows, layout);
  return read_records(BufferedSource(kept_source(source.name(), std::move(records))), layout, rows,
                      Surplus::error);
}

}  // namespace skde::io
