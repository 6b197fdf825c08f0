#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/values/vtk_data.hpp"
#include "io/volumes/refused_volume.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/text_values.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/vtk/vti_header.hpp"

namespace skde::io {
namespace {

/// Reads from the sizes on. `left` is the number of bytes that the file can still hold.
Volume read_bytes(BufferedSource& data, const VtiHeader& header, std::uint64_t left) {
  auto packed = vtk_array(data, header.encoding, static_cast<std::uint64_t>(header.grid.cells()),
                          size_of(header.type), left);
  const bool big_endian = header.encoding.big_endian;
  if (!packed) return read_values(data, header.grid, header.type, big_endian);
  BufferedSource unpacked(std::move(packed));
  return read_values(unpacked, header.grid, header.type, big_endian);
}

Volume read_encoded(BufferedSource& source, const VtiHeader& header) {
  const std::uint64_t left = source.size().value_or(0) - source.position();
  if (header.form == VtiForm::raw) return read_bytes(source, header, left);
  if (header.form == VtiForm::text) return read_text_values(source, header.grid, header.type);
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
    refuse_volume(path, "its data begin after its end; the file is broken or truncated");
  source.seek(header.position);
  Volume volume = read_encoded(source, header);
  put_in_order(volume, header.axes);
  return {std::move(volume), metadata_of(header), true, {}, header.arrays, header.array};
}

}  // namespace skde::io
