#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/points/splats/zip_members.hpp"

namespace skde::io {

// SOG, version 2: PlayCanvas's developer documentation, "The SOG Format", and where it leaves room
// the reader of @playcanvas/splat-transform. A pixel is a splat, in rows from the top left.

/// Rows of the palette of harmonics are this many entries long.
inline constexpr std::size_t kPaletteRow = 64;
inline constexpr std::size_t kMostPalette = 65536;
/// The fourth byte of a quaternion is this plus the index (w, x, y, z) of the part left out.
inline constexpr std::uint8_t kFirstQuaternionTag = 252;
/// The parts that the first three bytes hold, by the index of the one that is left out.
inline constexpr std::array<std::array<std::size_t, 3>, 4> kKeptParts{
    {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}};
/// Opacities in eight bits are read as between this and 1 minus it.
inline constexpr double kLeastSogOpacity = 1e-6;

/// sign(x) ln(1 + |x|), in which coordinates have equal steps, and its inverse.
inline double to_sog_coordinate(double x) { return std::copysign(std::log1p(std::abs(x)), x); }
inline double from_sog_coordinate(double v) { return std::copysign(std::expm1(std::abs(v)), v); }

/// Returns true if these may be the first bytes of the meta.json of a SOG folder.
bool is_sog_meta(std::string_view head);

/// The files that make up SOG: members of an archive, or those beside a meta.json.
class SogFiles {
 public:
  /// `path`: of the archive, or of the meta.json whose bytes these are. Both must outlive this
  /// object. Throws Error(input) if the archive is broken, or the meta.json is not a file.
  SogFiles(const std::string& path, std::string_view bytes);

  std::string meta() const;
  /// Returns the bytes of a file of this name. Throws Error(input) if there is none, if it holds
  /// more than `most`, or if the name of a file in a folder is a path.
  std::string read(const std::string& name, std::uint64_t most) const;
  /// Returns the size of a file as it is stored; 0 if it belongs to an archive or cannot be read.
  std::uint64_t bytes_beside(const std::string& name) const;

 private:
  const std::string& path_;
  std::string_view bytes_;
  bool is_archive_;
  std::vector<ZipMember> members_;  ///< of an archive
};

/// Throws Error(input): the file is broken or not SOG.
[[noreturn]] void refuse_sog(const std::string& file, const std::string& why);

}  // namespace skde::io
