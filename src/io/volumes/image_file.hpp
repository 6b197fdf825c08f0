#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/values/scalar_type.hpp"
#include "io/volumes/file_axes.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::io {

/// What a header states of one volume and of the place of its values.
struct ImageHeader {
  enum class Packing { none, zlib, bzip2, by_signature };
  FileAxes axes;
  VolumeHead head;
  std::string space{};  ///< directions of the axes, in lower case
  ScalarType type = ScalarType::f32;
  bool big_endian = false;
  Packing packing = Packing::none;
  bool text = false;                ///< values are numbers as text
  std::string data_file{};          ///< beside the header; empty: the values follow the header
  std::uint64_t line_skip = 0;      ///< lines before the values
  std::int64_t byte_skip = 0;       ///< bytes after those lines; -1: raw values end the file
  std::uint64_t unpacked_skip = 0;  ///< bytes before the values once they are unpacked
  double slope = 1, intercept = 0;  ///< from stored to actual values
  std::string_view skip_key{};      ///< key of byte_skip, for messages
  std::string refusal{}, remedy{};  ///< why the values cannot be read, if they cannot
};

/// Returns whether the next bytes are those of gzip.
bool is_gzip(BufferedSource& source);

/// Reads the values behind a header that was read from `source`, or those in the file that it
/// names.
VolumeFile read_image_values(const std::string& path, BufferedSource source,
                             const ImageHeader& header, const OpenFiles& files);

// VolumeFormat::read, VolumeFormat::read_head and files_beside() of a format with such headers.

template <ImageHeader (*read_header)(BufferedSource&, const OpenFiles&)>
VolumeFile read_image(const std::string& path, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  const ImageHeader header = read_header(source, files);
  return read_image_values(path, std::move(source), header, files);
}

template <ImageHeader (*read_header)(BufferedSource&, const OpenFiles&)>
VolumeHead read_image_head(const std::string& path, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  return read_header(source, files).head;
}

template <ImageHeader (*read_header)(BufferedSource&, const OpenFiles&)>
std::vector<std::string> image_files_beside(const std::string& path, Presence presence) {
  BufferedSource source(open_source(path));
  const std::string file = read_header(source, {}).data_file;
  if (file.empty()) return {};
  return {data_path(path, file, presence)};
}

}  // namespace skde::io
