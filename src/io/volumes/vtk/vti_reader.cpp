#include <fmt/core.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "io/volumes/refused_volume.hpp"
#include "io/volumes/text_values.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/vtk/base64_source.hpp"
#include "io/volumes/vtk/vti_header.hpp"

namespace skde::io {
namespace {

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
  if (!metadata.values.empty() && header.arrays.size() > 1) metadata.values = header.array;
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
