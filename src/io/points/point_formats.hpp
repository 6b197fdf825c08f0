#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "io/points/point_reader.hpp"

namespace skde::io {

/// A row of the table of point formats.
struct PointFormat {
  std::string_view name;        ///< "ply"
  std::string_view extensions;  ///< ".ply", or several: ".xyz .txt"
  std::string_view summary;     ///< one line for `skde formats`
  /// True where the first bytes of a source are those of this format alone; null for a format
  /// without such bytes, which is known by its extension.
  bool (*has_signature)(std::string_view head) = nullptr;
  std::unique_ptr<PointReader> (*open)(BufferedSource source,
                                       const ColumnSelection& columns) = nullptr;
  /// Why this build cannot read it; empty where it can.
  std::string_view unavailable{};
  bool has_parts = false;  ///< one of which is read: "file.npz:locs"

  /// True for the last row of the table, whose lines may be skipped.
  bool is_text() const;
};
/// In the order in which signatures are tried. The last one is plain text, which is also what a
/// source without signature and known extension is taken for where it looks like text.
std::span<const PointFormat> point_formats();

}  // namespace skde::io
