#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skde::io {

struct ColumnSelection;
class OpenFiles;

}  // namespace skde::io

namespace skde::view {

/// Columns of a file to choose from, with its first rows.
struct ColumnChoice {
  std::string file;                       ///< its path
  std::string why;                        ///< why a choice is needed, in one line; may be empty
  std::vector<std::string> names;         ///< of the columns of numbers; "column 4" without a name
  std::vector<std::string> words;         ///< what a selection calls them: names, or numbers
  std::vector<std::vector<double>> rows;  ///< the first ones
  std::array<std::size_t, 3> xyz{0, 1, 2};
  std::optional<std::size_t> weight, width;

  /// Returns true if x, y and z are three columns.
  bool is_complete() const;
  /// Writes the choice into a selection, in place of its coordinates, weight and widths.
  void apply(io::ColumnSelection& columns) const;
};

/// Returns the columns of the first file, beginning with those that `columns` names or that have
/// usual names. None if the file cannot be read twice, or has fewer than three columns of numbers.
std::optional<ColumnChoice> column_choice(const std::vector<std::string>& paths,
                                          const io::ColumnSelection& columns,
                                          const io::OpenFiles& files);

}  // namespace skde::view
