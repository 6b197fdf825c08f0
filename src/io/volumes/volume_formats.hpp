#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde {
struct Warning;
}

namespace skde::io {

enum class Presence;

/// What a volume file states before its values.
struct VolumeHead {
  Grid grid;
  /// False if the file does not state the position of its cells, which are then assumed to begin at
  /// (0, 0, 0).
  bool placed = true;
  DensityMetadata metadata;
  std::vector<std::string> fields{};  ///< names of all its volumes, if there are several
  std::string field{};                ///< name of this volume; empty if they have no names
};

struct VolumeFile {
  Volume volume;
  DensityMetadata metadata;
  bool placed = true;   ///< as in VolumeHead
  std::string space{};  ///< directions of the axes, if the file states them; otherwise empty
  std::vector<std::string> fields{};  ///< as in VolumeHead
  std::string field{};
};

/// The bytes around the raw values of a file. They let several machines write one file, each its
/// own slices.
struct VolumeFrame {
  std::string head, tail;   ///< before and after the values
  std::string companion{};  ///< contents of the file beside it
};

/// A row of the table of volume formats.
struct VolumeFormat {
  std::string_view name;       ///< "vti"
  std::string_view extension;  ///< ".vti"
  /// Extension of headers whose values are in another file: they are read, but not written.
  std::string_view detached{};
  std::string_view summary;
  std::string_view media_type = "application/octet-stream";
  /// Why this build cannot use it; empty if it can.
  std::string_view unavailable{};
  /// True if slices go to the file as they arrive, and the writer holds at most 20 MiB of its own.
  /// Otherwise the writer holds the volume, in the form of the file, until finish().
  bool streams = false;
  /// True if values are packed.
  bool packs = false;
  /// True if a third-party library reads it, in a separate process: see sandboxed_reader.hpp.
  bool apart = false;
  /// Suffix that turns the path of a file into that of its description; empty if the file holds the
  /// description itself.
  std::string_view companion{};
  /// Begins a file of values of this type on this grid. `expected` holds what is known of the
  /// density now. Its numbers may still change until finish(); its texts, the kernel and the
  /// normalization are final. Throws Error(output) if the file cannot be created. Null, as is
  /// `read`, if the format is unavailable.
  std::unique_ptr<VolumeWriter> (*open)(const std::string& path, const Grid& grid,
                                        Precision precision, const DensityMetadata& expected);
  /// Reads in this process, whatever `apart` says. If a third-party library opens the file, `files`
  /// is not used.
  VolumeFile (*read)(const std::string& path, const OpenFiles& files);
  VolumeHead (*read_head)(const std::string& path, const OpenFiles& files);
  /// Begins a file of several volumes; null if the format holds one per file.
  std::unique_ptr<FieldsWriter> (*open_fields)(const std::string& path, const Grid& grid,
                                               Precision precision, std::vector<std::string> names,
                                               const DensityMetadata& expected) = nullptr;
  /// Reads the volume of this name from a file of several; null if the format holds one per file.
  VolumeFile (*read_field)(const std::string& path, const std::string& field,
                           const OpenFiles& files) = nullptr;
  VolumeHead (*read_field_head)(const std::string& path, const std::string& field,
                                const OpenFiles& files) = nullptr;
  /// Returns the frame of a whole volume; null if values are packed, or a third-party library
  /// writes them.
  VolumeFrame (*frame)(const Grid& grid, Precision precision,
                       const DensityMetadata& metadata) = nullptr;

  /// Begins an array whose values may be narrow, for a stream unless `to` is null; null if files of
  /// the format are no arrays.
  std::unique_ptr<VolumeWriter> (*open_array)(const std::string& path, ArrayStream* to,
                                              ArrayValues values, const Grid& grid,
                                              Precision precision,
                                              const DensityMetadata& expected) = nullptr;
  /// Returns the files beside one, see volume_files.hpp; null if the format has none.
  std::vector<std::string> (*files_beside)(const std::string& path, Presence presence) = nullptr;

  /// Throws Error(output) if the disk has no room for the file, before the work rather than after
  /// it. Formats that pack are not checked.
  void require_room(const std::string& path, const Grid& grid, Precision precision) const;
  /// Bytes that a writer that does not stream holds beyond the volume's values: blocks of cells
  /// that the volume fills only in part.
  std::int64_t held_beyond(const Grid& grid, Precision precision) const;
  /// Writes a whole volume, as stages of `progress`. Throws Error(output) or Error(cancelled), and
  /// then leaves nothing behind.
  void write(const std::string& path, const Volume& volume, const DensityMetadata& metadata,
             Progress& progress) const;
  void write(const std::string& path, const Volume& volume, const DensityMetadata& metadata) const {
    NoProgress silent;
    write(path, volume, metadata, silent);
  }
};
std::span<const VolumeFormat> volume_formats();

/// Returns the format for a path by its extension, or by `name` if that is not empty. Throws
/// Error(usage) that lists the formats.
const VolumeFormat& volume_format_for(std::string_view path, std::string_view name = {});

/// A path as users give it. If "FILE:FIELD" does not exist but FILE does, FIELD names one of the
/// volumes in FILE.
struct VolumePath {
  std::string file, field;
};
VolumePath volume_path(const std::string& path);

/// Returns true if the extension is that of a volume format and skde reads the file as a volume.
bool is_volume_file(const std::string& path, const OpenFiles& files = {});
/// Returns the first of the paths that is one; empty if none is.
std::string first_volume(const std::vector<std::string>& paths, const OpenFiles& files);

/// Reads a volume, by skde or by another program, from a path as described at volume_path(). Throws
/// Error(input) if it is broken, Error(unsupported) if this build lacks the format.
VolumeFile read_volume(const std::string& path, const OpenFiles& files = {});
/// The same without the values, which are not read if the format allows that.
VolumeHead read_volume_head(const std::string& path, const OpenFiles& files = {});

/// Returns a warning if the path names none of several volumes in its file, of which the first was
/// read; and the path with the name of the volume that was read.
std::vector<Warning> field_warnings(const std::string& path, const VolumeFile& file);
std::string path_of_field(const std::string& path, const VolumeFile& file);

}  // namespace skde::io
