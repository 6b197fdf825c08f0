#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/points/point_reader.hpp"

namespace skde::io {

/// The columns that a file has: a name for each (empty where it has none) and whether it may be one
/// of the first three by default.
struct FileColumns {
  std::string file;  ///< for messages
  std::vector<std::string> names;
  std::vector<bool> numeric;
  std::string judged_on = {};  ///< "line 3", where `numeric` was seen; empty: the header said so
};

/// Indices from 0 into the columns of a file.
struct SelectedColumns {
  std::array<std::size_t, 3> xyz{};
  std::optional<std::size_t> weight;
};

/// Finds what is asked for: a name as it stands, a name in any case, or a 1-based number.
/// Error(usage) that lists the columns where one is not there or named twice; Error(input) where
/// the file has fewer than three columns of numbers and none were named.
SelectedColumns select_columns(const ColumnSelection& wanted, const FileColumns& columns);

}  // namespace skde::io
