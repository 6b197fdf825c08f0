#include "io/volumes/image_file.hpp"

#include <fmt/core.h>

#include <span>
#include <utility>

#include "io/bytes/packing.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

void skip_bytes(BufferedSource& source, std::uint64_t count) {
  if (source.skip(count) < count)
    refuse_volume(source.name(), "ends before its values; the file is truncated");
}

/// Skips what the header says precedes the values.
void skip_to_values(BufferedSource& source, const ImageHeader& header) {
  for (std::uint64_t line = 0; line < header.line_skip; ++line)
    if (!source.line()) refuse_volume(source.name(), "ends before its values; it is truncated");
  if (header.byte_skip >= 0)
    return skip_bytes(source, static_cast<std::uint64_t>(header.byte_skip));
  const auto cells = static_cast<std::uint64_t>(header.head.grid.cells());
  check_promise(source, cells, size_of(header.type), "values");
  if (!source.size())
    refuse_volume(
        source.name(),
        fmt::format("is not a regular file, and {} counts from the end of one", header.skip_key));
  skip_bytes(source, *source.size() - source.position() - cells * size_of(header.type));
}

Volume read_encoded(BufferedSource source, const ImageHeader& header) {
  using Packing = ImageHeader::Packing;
  const bool gzip = header.packing == Packing::by_signature && is_gzip(source);
  if (gzip || header.packing == Packing::zlib) source = unpacked_zlib(std::move(source));
  if (header.packing == Packing::bzip2) source = unpacked_bzip2(std::move(source));
  if (header.text) return read_text_values(source, header.head.grid, header.type);
  skip_bytes(source, header.unpacked_skip);
  Volume volume = read_values(source, header.head.grid, header.type, header.big_endian);
  require_end(source);
  return volume;
}

template <class Real>
void scale(std::span<Real> values, const ImageHeader& header) {
  for (Real& value : values)
    value = static_cast<Real>(static_cast<double>(value) * header.slope + header.intercept);
}

}  // namespace

bool is_gzip(BufferedSource& source) { return source.peek(2).starts_with("\x1f\x8b"); }

VolumeFile read_image_values(const std::string& path, BufferedSource source,
                             const ImageHeader& header, const OpenFiles& files) {
  if (!header.refusal.empty()) refuse_volume(path, header.refusal, header.remedy);
  if (!header.data_file.empty())
    source = BufferedSource(files.source(data_path(path, header.data_file)));
  skip_to_values(source, header);
  Volume volume = read_encoded(std::move(source), header);
  if (header.slope != 1 || header.intercept != 0) {
    if (volume.precision() == Precision::f32)
      scale(volume.values<float>(), header);
    else
      scale(volume.values<double>(), header);
  }
  put_in_order(volume, header.axes);
  return {std::move(volume), header.head.metadata, header.head.placed, header.space};
}

}  // namespace skde::io
