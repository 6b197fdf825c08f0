#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

/// A row of the table of formats of Gaussian splats.
struct SplatFormat {
  std::string_view name;            ///< "sog"
  std::string_view extensions;      ///< ".sog", or several; the longest that fits a name decides
  std::string_view summary;         ///< one line for `skde formats`
  std::string_view quantisation{};  ///< what values lose, in half a sentence; empty: nothing
  /// Returns true if the first bytes of a source are those of this format alone. Null for a format
  /// without such bytes, which is recognised by its extension.
  bool (*has_signature)(std::string_view head) = nullptr;
  /// Reads all splats; the source is at its first byte. Their values are finite, but log_scales may
  /// be minus infinity. Throws Error(input) if the file is broken, before memory is asked for that
  /// the file cannot fill, and Error(resources) if they take more than `most_bytes`; 0: any number.
  SplatCloud (*read)(BufferedSource source, std::int64_t most_bytes) = nullptr;
  /// Writes splats that write_splats() has checked, whole or not at all. Throws Error(output) if
  /// that fails, Error(input) if the format cannot hold them, and Error(cancelled). Null for
  /// formats that are only read.
  void (*write)(const std::string& path, const SplatCloud& splats, Progress& progress) = nullptr;
  int most_bands = 3;  ///< of harmonics; those beyond are left out
  /// Why this build has no such files; empty if it has.
  std::string_view unavailable{};
};

/// Returns the formats in the order in which signatures are tried. The last is plain PLY.
std::span<const SplatFormat> splat_formats();
/// Returns the format of a file of this name, by its extension, or null. Extensions of packers are
/// ignored.
const SplatFormat* splat_format_of(std::string_view path);
/// Returns the format in which a file of this name is written. Throws as write_splats() does for
/// its name.
const SplatFormat& splat_format_to_write(const std::string& path);
/// The extensions of all formats that are written, for help and messages.
std::string splat_extensions();

/// Reads splats, unpacked if need be; the first bytes and the name determine the format. Throws
/// Error(input) if they are no splats, and the errors of SplatFormat::read.
SplatCloud read_splats(BufferedSource source, std::int64_t most_bytes = 0);

/// Writes splats in the format of the extension. Opacities and scales that are infinite become the
/// outermost that a float's exponential has, rotations are made unit quaternions, and harmonics
/// beyond most_bands are left out. Throws Error(usage) for other extensions, Error(unsupported) if
/// this build lacks the format, Error(input) if there are no splats or a value is not finite, and
/// the errors of SplatFormat::write.
void write_splats(const std::string& path, SplatCloud splats, Progress& progress);

}  // namespace skde::io
