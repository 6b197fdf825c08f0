#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/vti_header.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kPackedAtOnce = std::size_t{64} << 20;  // bytes inflated in parallel

[[noreturn]] void broken(const BufferedSource& source, std::string_view what) {
  throw Error(ErrorKind::input,
              fmt::format("{}: {}; the file is broken or cut short", source.name(), what));
}

/// One of the sizes before the data.
std::uint64_t read_size(BufferedSource& source, const VtiHeader& header) {
  unsigned char bytes[8];
  if (source.read(reinterpret_cast<char*>(bytes), header.size_bytes) < header.size_bytes)
    broken(source, "ends before its data");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < header.size_bytes; ++i)
    value = value << 8 | bytes[header.big_endian ? i : header.size_bytes - 1 - i];
  return value;
}

Volume read_raw(BufferedSource& source, const VtiHeader& header) {
  const std::uint64_t bytes = read_size(source, header);
  const auto cells = static_cast<std::uint64_t>(header.grid.cells());
  if (bytes != cells * size_of(header.type))
    broken(source, fmt::format("holds {} bytes for {} values", bytes, cells));
  return read_values(source, header.grid, header.type, header.big_endian);
}

struct Block {
  std::uint64_t packed_bytes, bytes;
};

/// The sizes of all blocks, checked against the volume and the file before anything is allocated
/// for the data.
std::vector<Block> read_blocks(BufferedSource& source, const VtiHeader& header) {
  const std::uint64_t count = read_size(source, header), size = read_size(source, header),
                      last = read_size(source, header);
  const std::uint64_t left = source.size().value_or(0) - source.position();
  const std::uint64_t wanted =
      static_cast<std::uint64_t>(header.grid.cells()) * size_of(header.type);
  std::uint64_t promised = 0;
  if (count == 0 || size == 0 || last >= size || count > left / header.size_bytes ||
      __builtin_mul_overflow(last > 0 ? count - 1 : count, size, &promised) ||
      __builtin_add_overflow(promised, last, &promised) || promised != wanted)
    broken(source, "its compressed blocks do not make up its values");
  std::vector<Block> blocks(count);
  std::uint64_t packed = 0;
  for (std::uint64_t b = 0; b < count; ++b) {
    blocks[b] = {read_size(source, header), b + 1 == count && last > 0 ? last : size};
    if (blocks[b].packed_bytes > left || (packed += blocks[b].packed_bytes) > left)
      broken(source, "its compressed blocks are larger than the file");
  }
  return blocks;
}

/// Inflates blocks that lie one after another at `packed` to `to`; false where one is broken.
bool inflate_blocks(const std::vector<char>& packed, std::span<const Block> blocks, char* to) {
  std::vector<std::uint64_t> from(blocks.size()), at(blocks.size());
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    from[b] = from[b - 1] + blocks[b - 1].packed_bytes;
    at[b] = at[b - 1] + blocks[b - 1].bytes;
  }
  std::atomic<bool> good = true;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    uLongf size = blocks[b].bytes;
    const int result = uncompress(reinterpret_cast<Bytef*>(to + at[b]), &size,
                                  reinterpret_cast<const Bytef*>(packed.data() + from[b]),
                                  static_cast<uLong>(blocks[b].packed_bytes));
    if (result != Z_OK || size != blocks[b].bytes) good = false;
  }
  return good;
}

void read_packed(BufferedSource& source, const std::vector<Block>& blocks, char* to) {
  std::vector<char> packed;
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t end = first, packed_bytes = 0, bytes = 0;
    while (end < blocks.size() && (end == first || packed_bytes < kPackedAtOnce)) {
      packed_bytes += blocks[end].packed_bytes;
      bytes += blocks[end++].bytes;
    }
    packed.resize(packed_bytes);
    if (source.read(packed.data(), packed_bytes) != packed_bytes)
      broken(source, "ends in the middle of its values");
    if (!inflate_blocks(packed, std::span(blocks).subspan(first, end - first), to))
      broken(source, "a compressed block cannot be unpacked");
    to += bytes;
    first = end;
  }
}

Volume read_compressed(BufferedSource& source, const VtiHeader& header) {
  const std::vector<Block> blocks = read_blocks(source, header);
  require_volume_fits(source.name(), header.grid, precision_for(header.type));
  const bool as_in_memory =
      !header.big_endian && (header.type == ScalarType::f32 || header.type == ScalarType::f64);
  if (as_in_memory) {
    Volume volume(header.grid, precision_for(header.type));
    read_packed(source, blocks, bytes_of(volume));
    return volume;
  }
  std::string bytes(static_cast<std::size_t>(header.grid.cells()) * size_of(header.type), '\0');
  read_packed(source, blocks, bytes.data());
  return volume_from_bytes(header.grid, bytes, header.type, header.big_endian);
}

}  // namespace

VolumeFile read_vti(const std::string& path) {
  BufferedSource source(open_source(path));
  const VtiHeader header = read_vti_header(source);
  if (header.position > source.size().value_or(header.position))
    broken(source, "its data begin behind its end");
  source.skip(header.position - source.position());
  return {header.compressed ? read_compressed(source, header) : read_raw(source, header),
          metadata_from(header.fields)};
}

}  // namespace skde::io
