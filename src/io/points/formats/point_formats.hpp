#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// A row of the table of point formats.
struct PointFormat {
  std::string_view name;        ///< "ply"
  std::string_view extensions;  ///< ".ply", or several: ".xyz .txt"
  std::string_view summary;     ///< one line for `skde formats`
  /// Returns true if the first bytes of a source are those of this format alone. Null for a format
  /// without such bytes, which is recognised by its extension.
  bool (*has_signature)(std::string_view head) = nullptr;
  std::unique_ptr<PointReader> (*open)(BufferedSource source,
                                       const ColumnSelection& columns) = nullptr;
  /// Why this build cannot read it; empty if it can.
  std::string_view unavailable{};
  bool has_parts = false;  ///< one part is read: "file.npz:locs"

  /// Returns true for the last row of the table, whose lines may be skipped.
  bool is_text() const;
};
/// Returns the formats in the order in which signatures are tried. The last format is plain text;
/// it is also assumed for a source that looks like text but has no signature and no known
/// extension.
std::span<const PointFormat> point_formats();

}  // namespace skde::io
