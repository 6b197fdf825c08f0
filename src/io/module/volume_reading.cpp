#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "core/report/error.hpp"
#include "io/bytes/packing.hpp"
#include "io/bytes/reader_program.hpp"
#include "io/module/sandboxed_reader.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

std::string listed_extensions() {
  std::string list;
  for (const VolumeFormat& format : volume_formats())
    if (list.find(format.extension) == list.npos || format.extension == ".nii.gz")
      list += fmt::format("{}{}", list.empty() ? "" : ", ", format.extension);
  return list;
}

/// Refuses a path that no format reads. Often it is a cloud, and its density was meant.
[[noreturn]] void refuse_to_read(const std::string& path, const OpenFiles& files) {
  files.source(path);  // throws if the path cannot be read at all
  const std::string name = lower_case(without_packer_extension(path));
  for (const PointFormat& format : point_formats())
    for (const std::string_view extension : split_words(format.extensions))
      if (name.ends_with(extension))
        throw Error(
            ErrorKind::input,
            fmt::format("{}: its extension is that of a point cloud, but a volume is needed", path),
            {{}, std::string(kGiveDensity)});
  throw Error(ErrorKind::input,
              fmt::format("{}: its extension is not that of a volume format", path),
              {{}, fmt::format("name a volume: {}", listed_extensions())});
}

/// Returns the format of a path. Throws the same errors for all formats if the path cannot be read.
const VolumeFormat& readable_format(const std::string& path, const OpenFiles& files) {
  const VolumeFormat* const found = format_to_read(path);
  if (!found) refuse_to_read(path, files);
  const VolumeFormat& format = *found;
  if (!format.unavailable.empty())
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: this build cannot read {}", path, format.name),
                {{}, std::string(format.unavailable)});
  // A file that another process opens is only checked for access here.
  if (!format.apart || access(path.c_str(), R_OK) != 0 || std::filesystem::is_directory(path))
    files.source(path);
  return format;
}

void require_fields(const VolumeFormat& format, const std::string& path, const std::string& field) {
  if (field.empty() || format.read_field) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: a file of {} holds one volume without a name, and none is named '{}'", path,
                  format.name, field),
      {"field", "leave the name out"});
}

}  // namespace

VolumeFile read_volume(const std::string& path, const OpenFiles& files) {
  const auto [file, field] = volume_path(path);
  const VolumeFormat& format = readable_format(file, files);
  require_fields(format, file, field);
  if (format.apart) return read_volume_sandboxed(format, file, reading_limits(file).seconds, field);
  return format.read_field ? format.read_field(file, field, files) : format.read(file, files);
}

VolumeHead read_volume_head(const std::string& path, const OpenFiles& files) {
  const auto [file, field] = volume_path(path);
  const VolumeFormat& format = readable_format(file, files);
  require_fields(format, file, field);
  if (format.apart) return read_head_sandboxed(format, file, reading_limits(file).seconds, field);
  return format.read_field_head ? format.read_field_head(file, field, files)
                                : format.read_head(file, files);
}

}  // namespace skde::io
