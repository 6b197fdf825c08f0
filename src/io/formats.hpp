#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/density_metadata.hpp"
#include "core/progress.hpp"
#include "core/volume.hpp"
#include "io/byte_source.hpp"
#include "io/point_reader.hpp"

namespace skde::io {

/// A row of the table of point formats.
struct PointFormat {
  std::string_view name;        ///< "ply"
  std::string_view extensions;  ///< ".ply", or several: ".xyz .txt"
  std::string_view summary;     ///< one line for `skde formats`
  /// True where the first bytes of a source are those of this format alone; null for a format
  /// without such bytes, which is known by its extension.
  bool (*has_signature)(std::string_view head);
  std::unique_ptr<PointReader> (*open)(BufferedSource source, const ColumnSelection& columns);
};
/// In the order in which signatures are tried. The last one is plain text, which is also what a
/// source without signature and known extension is taken for where it looks like text.
std::span<const PointFormat> point_formats();

struct VolumeFile {
  Volume volume;
  DensityMetadata metadata;
};

/// A row of the table of volume formats.
struct VolumeFormat {
  std::string_view name;       ///< "vti"
  std::string_view extension;  ///< ".vti"
  std::string_view summary;
  /// Why this build cannot use it; empty where it can.
  std::string_view unavailable;
  void (*writer)(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
                 Progress& progress);
  VolumeFile (*read)(const std::string& path);

  /// Writes the file as stages of `progress`. Throws Error(output) and Error(cancelled), and leaves
  /// nothing behind then.
  void write(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
             Progress& progress) const {
    writer(path, volume, metadata, progress);
  }
  void write(const std::string& path, const Volume& volume, const DensityMetadata& metadata) const {
    NoProgress silent;
    writer(path, volume, metadata, silent);
  }
};
std::span<const VolumeFormat> volume_formats();

/// The format for a path by its extension, or by `name` where that is not empty. Throws
/// Error(usage) that lists the formats.
const VolumeFormat& volume_format_for(const std::string& path, std::string_view name = {});

/// True where the extension is that of a volume format and the file is one that skde reads as a
/// volume.
bool is_volume_file(const std::string& path);

/// Any volume that skde wrote, or another program wrote in one of the formats. Error(input) where
/// it is broken.
VolumeFile read_volume(const std::string& path);

}  // namespace skde::io
