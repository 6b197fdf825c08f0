#include "io/points/packed_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace skde::io {
namespace {

// A back reference of 3 bytes gives at most 264.
constexpr std::uint64_t kMostGain = 88;

[[noreturn]] void fail(const BufferedSource& source, std::string_view why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}; the file is broken", source.name(), why),
              {{}, "fetch it again"});
}

std::uint32_t whole_of(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

/// What LZF packed: runs of bytes as they are, and copies of what came before. False where it is
/// broken or not `whole` bytes.
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

/// The packed bytes, growing as they arrive.
std::string read_packed(BufferedSource& source, std::uint64_t count) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 24;
  std::string packed;
  while (packed.size() < count) {
    const std::size_t have = packed.size();
    packed.resize(have + static_cast<std::size_t>(std::min(kStep, count - have)));
    if (source.read(packed.data() + have, packed.size() - have) < packed.size() - have)
      fail(source, "the packed points are cut short");
  }
  return packed;
}

class PackedColumnsReader final : public PointReader {
 public:
  PackedColumnsReader(BufferedSource source, std::string bytes, std::uint64_t rows,
                      const PackedColumns& columns)
      : source_(std::move(source)), bytes_(std::move(bytes)), rows_(rows), columns_(columns) {}

  bool read(Samples& chunk, std::size_t most) override {
    first_of_chunk_ = done_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, rows_ - done_));
    chunk.xyz.resize(3 * count);
    chunk.weights.resize(columns_.weight ? count : 0);
    for (std::size_t axis = 0; axis < 3 && count > 0; ++axis)
      convert(columns_.xyz[axis], count, chunk.xyz.data() + axis, 3);
    if (columns_.weight) convert(*columns_.weight, count, chunk.weights.data(), 1);
    done_ += count;
    return count > 0;
  }

  std::string place_of(std::size_t row) const override {
    return fmt::format("row {}", first_of_chunk_ + row + 1);
  }
  std::optional<std::uint64_t> expected_rows() const override { return rows_; }
  std::uint64_t bytes_read() const override { return source_.position(); }
  std::uint64_t bytes_total() const override { return source_.size().value_or(0); }

 private:
  void convert(const PackedColumn& column, std::size_t count, double* to, std::size_t step) const {
    const std::size_t bytes = size_of(column.type);
    column_converter(column.type, false)(bytes_.data() + column.offset + done_ * bytes, bytes,
                                         count, to, step);
  }

  BufferedSource source_;
  std::string bytes_;
  std::uint64_t rows_;
  PackedColumns columns_;
  std::uint64_t done_ = 0;
  std::uint64_t first_of_chunk_ = 0;
};

}  // namespace

std::unique_ptr<PointReader> read_packed_columns(BufferedSource source, std::uint64_t rows,
                                                 std::size_t row_bytes,
                                                 const PackedColumns& columns) {
  std::string sizes(8, '\0');
  if (source.read(sizes.data(), sizes.size()) < sizes.size())
    fail(source, "the sizes of the packed points are cut short");
  const std::uint64_t packed_bytes = whole_of(sizes, 0), whole = whole_of(sizes, 4);
  std::uint64_t promised = 0;
  if (__builtin_mul_overflow(rows, std::uint64_t{row_bytes}, &promised) || promised != whole)
    fail(source, fmt::format("{} points of {} bytes are not the {} bytes that are packed", rows,
                             row_bytes, whole));
  if (whole > kMostGain * packed_bytes)
    fail(source, fmt::format("{} bytes cannot be packed into {}", whole, packed_bytes));
  std::string bytes;
  if (!unpack_lzf(read_packed(source, packed_bytes), static_cast<std::size_t>(whole), bytes))
    fail(source, "the packed points make no sense");
  if (!source.peek(1).empty()) fail(source, "more bytes follow the packed points");
  return std::make_unique<PackedColumnsReader>(std::move(source), std::move(bytes), rows, columns);
}

}  // namespace skde::io
