#include <filesystem>
#include <optional>
#include <utility>

#include "io/bytes/decompression.hpp"
#include "io/volumes/data_file.hpp"
#include "io/volumes/images/nifti_header.hpp"
#include "io/volumes/refused_volume.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// Opens the file, unpacked if its first bytes are those of gzip.
BufferedSource open_nifti(std::unique_ptr<ByteSource> source) {
  BufferedSource file(std::move(source));
  return file.peek(2).starts_with("\x1f\x8b") ? unpacked_zlib(std::move(file)) : std::move(file);
}

template <class Real>
void scale(std::span<Real> values, double slope, double intercept) {
  for (Real& value : values)
    value = static_cast<Real>(static_cast<double>(value) * slope + intercept);
}

DensityMetadata metadata_of(const NiftiHeader& header) {
  DensityMetadata metadata = metadata_from(header.fields);
  if (metadata.units.empty()) metadata.units = header.units;
  return metadata;
}

/// Reads the volume whose values begin at the source's position.
VolumeFile with_values(BufferedSource& source, const NiftiHeader& header) {
  Volume volume = read_values(source, header.grid, header.type, header.big_endian);
  require_end(source);
  if (header.slope != 1 || header.intercept != 0) {
    if (volume.precision() == Precision::f32)
      scale(volume.values<float>(), header.slope, header.intercept);
    else
      scale(volume.values<double>(), header.slope, header.intercept);
  }
  put_in_order(volume, header.axes);
  return {std::move(volume), metadata_of(header), header.placed};
}

/// The name of the other file of a pair, without ".gz".
std::string name_of_values(const std::string& path) {
  return std::filesystem::path(path).stem().string() + ".img";
}

/// Reads the values from the other file of a pair, which may be packed.
VolumeFile with_values_beside(const std::string& path, const NiftiHeader& header,
                              const OpenFiles& files) {
  const std::filesystem::path head(path);
  const std::string name = name_of_values(path);
  std::error_code unknown;
  const bool packed = std::filesystem::exists(head.parent_path() / (name + ".gz"), unknown);
  BufferedSource values = open_nifti(files.source(data_path(path, packed ? name + ".gz" : name)));
  if (values.skip(header.offset) < header.offset)
    refuse_volume(values.name(), "ends before its values; the file is truncated");
  return with_values(values, header);
}

}  // namespace

VolumeHead read_nifti_head(const std::string& path, const OpenFiles& files) {
  BufferedSource source = open_nifti(files.source(path));
  const NiftiHeader header = read_nifti_header(source);
  return {header.grid, header.placed, metadata_of(header)};
}

std::vector<std::string> nifti_files_beside(const std::string& path, Presence) {
  BufferedSource source = open_nifti(open_source(path));
  if (!read_nifti_header(source).is_pair) return {};
  const std::string values =
      (std::filesystem::path(path).parent_path() / name_of_values(path)).string();
  return {values, values + ".gz"};
}

VolumeFile read_nifti(const std::string& path, const OpenFiles& files) {
  BufferedSource source = open_nifti(files.source(path));
  const NiftiHeader header = read_nifti_header(source);
  return header.is_pair ? with_values_beside(path, header, files) : with_values(source, header);
}

}  // namespace skde::io
