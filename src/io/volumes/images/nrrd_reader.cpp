#include <fmt/core.h>

#include <algorithm>

#include "io/bytes/decompression.hpp"
#include "io/points/arrays/promised_size.hpp"
#include "io/text_fields.hpp"
#include "io/volumes/data_file.hpp"
#include "io/volumes/images/nrrd_header.hpp"
#include "io/volumes/refused_volume.hpp"
#include "io/volumes/text_values.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// The byte order must be stated if it matters: either order yields plausible numbers.
void require_endian(const std::string& name, const NrrdHeader& header) {
  const bool matters = size_of(header.type) > 1 && header.encoding != NrrdEncoding::text;
  if (!matters || header.endian == "little" || header.endian == "big") return;
  refuse_volume(
      name,
      header.endian.empty()
          ? "does not state the 'endian' of its values"
          : fmt::format("its 'endian' must be 'little' or 'big'; got {}", excerpt(header.endian)),
      "add 'endian: little' or 'endian: big' to its header");
}

void skip_bytes(BufferedSource& source, std::uint64_t count) {
  if (source.skip(count) < count)
    refuse_volume(source.name(), "ends before its values; the file is truncated");
}

/// Skips what the header says precedes the values.
void skip_to_values(BufferedSource& source, const NrrdHeader& header) {
  for (std::uint64_t line = 0; line < header.line_skip; ++line)
    if (!source.line()) refuse_volume(source.name(), "ends before its values; it is truncated");
  if (header.byte_skip >= 0) {
    // For packed values, byte_skip counts unpacked bytes.
    const bool packed =
        header.encoding == NrrdEncoding::gzip || header.encoding == NrrdEncoding::bzip2;
    if (!packed) skip_bytes(source, static_cast<std::uint64_t>(header.byte_skip));
    return;
  }
  const auto cells = static_cast<std::uint64_t>(header.grid.cells());
  check_promise(source, cells, size_of(header.type), "values");
  if (!source.size())
    refuse_volume(source.name(),
                  "is not a regular file, and 'byte skip' counts from the end of one");
  skip_bytes(source, *source.size() - source.position() - cells * size_of(header.type));
}

Volume read_plain(BufferedSource& source, const NrrdHeader& header) {
  Volume volume = read_values(source, header.grid, header.type, header.endian == "big");
  require_end(source);
  return volume;
}

Volume read_encoded(BufferedSource source, const NrrdHeader& header) {
  if (header.encoding == NrrdEncoding::raw) return read_plain(source, header);
  if (header.encoding == NrrdEncoding::text)
    return read_text_values(source, header.grid, header.type);
  BufferedSource unpacked = header.encoding == NrrdEncoding::gzip
                                ? unpacked_zlib(std::move(source))
                                : unpacked_bzip2(std::move(source));
  skip_bytes(unpacked, static_cast<std::uint64_t>(header.byte_skip));
  return read_plain(unpacked, header);
}

DensityMetadata metadata_of(const NrrdHeader& header) {
  DensityMetadata metadata = metadata_from(header.fields);
  if (metadata.units.empty()) metadata.units = header.units;
  return metadata;
}

}  // namespace

VolumeHead read_nrrd_head(const std::string& path, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const NrrdHeader header = read_nrrd_header(source);
  return {header.grid, header.placed, metadata_of(header)};
}

std::vector<std::string> nrrd_files_beside(const std::string& path, Presence presence) {
  BufferedSource source(open_source(path));
  const NrrdHeader header = read_nrrd_header(source);
  if (header.data_file.empty()) return {};
  return {data_path(path, header.data_file, presence)};
}

VolumeFile read_nrrd(const std::string& path, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const NrrdHeader header = read_nrrd_header(source);
  require_endian(path, header);
  if (!header.data_file.empty())
    source = BufferedSource(files.source(data_path(path, header.data_file)));
  skip_to_values(source, header);
  Volume volume = read_encoded(std::move(source), header);
  put_in_order(volume, header.axes);
  return {std::move(volume), metadata_of(header), header.placed, header.space};
}

}  // namespace skde::io
