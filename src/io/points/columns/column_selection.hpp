#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/points/columns/point_reader.hpp"
#include "io/points/columns/row_condition.hpp"

namespace skde::io {

/// Three of these as coordinates stand for the first three columns of numbers, whatever their
/// names.
inline constexpr std::string_view kAnyColumn = "*";

/// The columns of a file: a name for each (empty if it has none), and whether it may be one of the
/// first three, which are taken if no column has a name.
struct FileColumns {
  std::string file;  ///< for messages
  std::vector<std::string> names;
  std::vector<bool> numeric;
  std::string judged_on = {};  ///< line that decided `numeric`: "line 3"; empty: the header
  /// The names are the words of a comment, which may be prose. They are used as names only if one
  /// is asked for, or one is a usual coordinate name.
  bool from_comment = false;
  std::vector<std::string> units = {};  ///< if the file states them apart from names
  bool hold_texts = false;              ///< any column may hold texts
  std::string remedy = {};              ///< advice if columns are missing; empty: the usual advice
  std::string remark = {};              ///< on how the file was understood; mostly empty
  std::vector<std::string> left_out = {};  ///< what the file holds besides these columns
};

/// 0-based indices into the columns of a file.
struct SelectedColumns {
  std::array<std::size_t, 3> xyz{};
  std::optional<std::size_t> weight;
  std::vector<std::size_t> widths;  ///< followed by the condition's columns, then the category
  std::vector<RowCondition::Column> compared;  ///< columns of the condition
  std::optional<std::size_t> category;         ///< column of categories
  ReadColumns described;                       ///< the same with names and units
  bool keeps_lines = false;                    ///< as in ColumnSelection

  /// The columns that are read: x, y, z, the weight, if there is one, and widths.
  std::vector<std::size_t> read() const;
  /// The same selection among columns of which column i is number `numbers[i]` of others.
  SelectedColumns among(const std::vector<std::size_t>& numbers) const;
};

/// Finds the columns that are asked for: by exact name, by name in any case, or by 1-based number.
/// Throws Error(usage) that lists the columns if one does not exist or is named twice. Without a
/// request, throws Error(input) if the columns have names, but not those of coordinates, or if
/// fewer than three are numeric. In a condition, x, y and z mean the coordinates if no column has
/// that name.
SelectedColumns select_columns(const ColumnSelection& wanted, const FileColumns& columns);

}  // namespace skde::io
