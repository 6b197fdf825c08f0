#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/points/columns/row_condition.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// The columns that a file has: a name for each (empty where it has none) and whether it may be one
/// of the first three where none has a name.
struct FileColumns {
  std::string file;  ///< for messages
  std::vector<std::string> names;
  std::vector<bool> numeric;
  std::string judged_on = {};  ///< "line 3", where `numeric` was seen; empty: the header said so
  /// The names are the words of a comment, which may be prose: they name columns where they are
  /// asked for or are the usual ones of coordinates.
  bool from_comment = false;
  std::vector<std::string> units = {};  ///< where the file tells them apart from names
  bool hold_texts = false;              ///< any of them may
  std::string remedy = {};  ///< what mends it where columns are missing; empty: the usual
};

/// Indices from 0 into the columns of a file.
struct SelectedColumns {
  std::array<std::size_t, 3> xyz{};
  std::optional<std::size_t> weight;
  std::vector<std::size_t> widths;  ///< then those of the condition, and that of categories last
  std::vector<RowCondition::Column> compared;  ///< columns of the condition
  std::optional<std::size_t> category;         ///< the same
  ReadColumns described;                       ///< the same for people and files
};

/// Finds what is asked for: a name as it stands, a name in any case, or a 1-based number.
/// Error(usage) that lists the columns where one is not there or named twice; Error(input) where
/// nothing was asked for and the columns have names, but not those of coordinates, or there are
/// fewer than three columns of numbers. In a condition x, y and z are the coordinates where no
/// column has that name.
SelectedColumns select_columns(const ColumnSelection& wanted, const FileColumns& columns);

}  // namespace skde::io
