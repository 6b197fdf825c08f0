#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/density_metadata.hpp"
#include "core/progress.hpp"
#include "core/volume.hpp"

namespace skde::io {

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
