#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// A file of points with all its columns of numbers, in the file's order and as they stand there.
struct PointTable {
  std::vector<std::string> names;  ///< of the columns; "column 4" where there is none
  std::vector<double> values;      ///< row by row
  /// The coordinates of each row as lengths, where its file has them in degrees; otherwise empty.
  std::vector<double> lengths{};
  std::array<std::size_t, 3> xyz{};
  std::optional<std::size_t> weight;  ///< of those that the selection names
  std::vector<std::size_t> others;    ///< the same
  std::vector<std::string> left_out;  ///< columns without numbers that can be read
  ReadColumns columns;

  std::size_t rows() const { return names.empty() ? 0 : values.size() / names.size(); }
  double at(std::size_t row, std::size_t column) const {
    return values[row * names.size() + column];
  }
  /// The coordinates of a row.
  std::array<double, 3> point(std::size_t row) const {
    if (!lengths.empty()) return {lengths[3 * row], lengths[3 * row + 1], lengths[3 * row + 2]};
    return {at(row, xyz[0]), at(row, xyz[1]), at(row, xyz[2])};
  }
};

/// Reads coordinates, the weight and others that the selection names, and all further columns of
/// numbers. Throws what open_points and its reader throw, and Error(cancelled).
PointTable read_point_table(const std::string& path, ColumnSelection columns, Progress& progress,
                            const OpenFiles& files = {});

}  // namespace skde::io
