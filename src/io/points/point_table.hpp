#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "io/points/columns/carried_rows.hpp"
#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// A file of points with all its numeric columns, in the file's order and unchanged.
struct PointTable {
  std::vector<std::string> names;  ///< of the columns; "column 4" for one without a name
  std::vector<double> values;      ///< row by row
  /// The coordinates of each row as lengths, if its file has them in degrees; otherwise empty.
  std::vector<double> lengths{};
  std::array<std::size_t, 3> xyz{};
  std::optional<std::size_t> weight;  ///< weight column, if the selection names it
  std::vector<std::size_t> others;    ///< other columns that the selection names
  std::vector<std::string> left_out;  ///< as in ReadColumns
  ReadColumns columns;
  std::vector<std::size_t> numbers{};  ///< of the columns in the file, from 1
  /// Their rests, and the lines of a text if the selection keeps them. Columns are those of the
  /// table.
  CarriedRows carried{};
  std::size_t bytes = 0;  ///< of its rows in memory when they had been read

  std::size_t rows() const { return names.empty() ? 0 : values.size() / names.size(); }
  double at(std::size_t row, std::size_t column) const {
    return values[row * names.size() + column];
  }
  /// Keeps these rows, in ascending order, alone, and no lengths.
  void keep_rows(std::span<const std::uint32_t> rows);
  /// The coordinates of a row.
  std::array<double, 3> point(std::size_t row) const {
    if (!lengths.empty()) return {lengths[3 * row], lengths[3 * row + 1], lengths[3 * row + 2]};
    return {at(row, xyz[0]), at(row, xyz[1]), at(row, xyz[2])};
  }
};

/// Where reading a table ends before its file does.
struct TableLimit {
  std::size_t rows = std::numeric_limits<std::size_t>::max();
  std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< soon after so many in memory
};

/// Reads the coordinates, the weight and others that the selection names, and all further numeric
/// columns, up to a limit. Throws what open_points and its reader throw, and Error(cancelled).
PointTable read_point_table(const std::string& path, ColumnSelection columns, Progress& progress,
                            const OpenFiles& files = {}, const TableLimit& limit = {});

}  // namespace skde::io
