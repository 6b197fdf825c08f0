#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/report/progress.hpp"
#include "core/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/volumes/fields_writer.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {

/// What a volume file says before its values.
struct VolumeHead {
  Grid grid;
  /// False where it does not say where its cells lie: they are then taken for cells from (0, 0, 0)
  /// on.
  bool placed = true;
  DensityMetadata metadata;
  std::vector<std::string> fields{};  ///< names of all its volumes, where there are several
  std::string field{};                ///< of the one that this is; empty where they have no names
};

struct VolumeFile {
  Volume volume;
  DensityMetadata metadata;
  bool placed = true;   ///< as that of VolumeHead
  std::string space{};  ///< which way the axes point, as the file says; empty where it does not
  std::vector<std::string> fields{};  ///< as those of VolumeHead
  std::string field{};
};

/// What stands around the values of a file that holds them as they are: enough for several to
/// write it, each its own slices.
struct VolumeFrame {
  std::string head, tail;   ///< before and behind the values
  std::string companion{};  ///< what the file beside it says
};

/// A row of the table of volume formats.
struct VolumeFormat {
  std::string_view name;       ///< "vti"
  std::string_view extension;  ///< ".vti"
  std::string_view summary;
  /// Why this build cannot use it; empty where it can.
  std::string_view unavailable{};
  /// True where slices go to the file as they come, and the writer holds at most 20 MiB of its own;
  /// otherwise it holds the volume, in the form that the file will have, until finish().
  bool streams = false;
  /// True where values take less room than they have bytes.
  bool packs = false;
  /// True where a library of others reads it, in a process of its own: see sandboxed_reader.hpp.
  bool apart = false;
  /// What is appended to the path of a file for that of its description; empty where the file holds
  /// that itself.
  std::string_view companion{};
  /// Begins a file of values of this type on this grid. `expected` is what is known of the density
  /// by now: its numbers may be others at finish(), its texts (and the kernel and the
  /// normalization) are the final ones. Error(output) where the file cannot be made. Null, as
  /// `read`, where the format is unavailable.
  std::unique_ptr<VolumeWriter> (*open)(const std::string& path, const Grid& grid,
                                        Precision precision, const DensityMetadata& expected);
  /// In this process, whatever `apart` says. Where a library of others opens the file, `files` do
  /// not.
  VolumeFile (*read)(const std::string& path, const OpenFiles& files);
  VolumeHead (*read_head)(const std::string& path, const OpenFiles& files);
  /// Begins a file of several volumes; null where the format has one a file.
  std::unique_ptr<FieldsWriter> (*open_fields)(const std::string& path, const Grid& grid,
                                               Precision precision, std::vector<std::string> names,
                                               const DensityMetadata& expected) = nullptr;
  /// The volume of this name in a file of several; null where the format has one a file.
  VolumeFile (*read_field)(const std::string& path, const std::string& field,
                           const OpenFiles& files) = nullptr;
  VolumeHead (*read_field_head)(const std::string& path, const std::string& field,
                                const OpenFiles& files) = nullptr;
  /// Of a whole volume; null where values are packed, or a library of others writes them.
  VolumeFrame (*frame)(const Grid& grid, Precision precision,
                       const DensityMetadata& metadata) = nullptr;

  /// Error(output) where the disk has no room for the file: said before the work, not after.
  /// Formats that pack are not judged.
  void require_room(const std::string& path, const Grid& grid, Precision precision) const;
  /// Bytes that the writer holds of the volume beyond its values, where it does not stream: blocks
  /// of cells that the volume fills in part.
  std::int64_t held_beyond(const Grid& grid, Precision precision) const;
  /// Writes a whole volume, as stages of `progress`. Throws Error(output) and Error(cancelled), and
  /// leaves nothing behind then.
  void write(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
             Progress& progress) const;
  void write(const std::string& path, const Volume& volume, const DensityMetadata& metadata) const {
    NoProgress silent;
    write(path, volume, metadata, silent);
  }
};
std::span<const VolumeFormat> volume_formats();

/// The format for a path by its extension, or by `name` where that is not empty. Throws
/// Error(usage) that lists the formats.
const VolumeFormat& volume_format_for(const std::string& path, std::string_view name = {});

/// A path as users give it: "FILE:FIELD" where there is no such file, but FILE, which holds several
/// volumes; that one of them is read.
struct VolumePath {
  std::string file, field;
};
VolumePath volume_path(const std::string& path);

/// True where the extension is that of a volume format and the file is one that skde reads as a
/// volume.
bool is_volume_file(const std::string& path, const OpenFiles& files = {});
/// The first of the paths that is one; empty where none is.
std::string first_volume(const std::vector<std::string>& paths, const OpenFiles& files);

/// Any volume, at a path as volume_path() has it, that skde wrote, or another program wrote in one
/// of the formats. Error(input) where it is broken, Error(unsupported) where this build does not
/// have the format.
VolumeFile read_volume(const std::string& path, const OpenFiles& files = {});
/// The same without the values, which are not read where the format allows it.
VolumeHead read_volume_head(const std::string& path, const OpenFiles& files = {});

}  // namespace skde::io
