#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "viewer/scene/view_state.hpp"

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

/// Takes the text of --compare: what CompareState::with holds, or by=COLUMN:A,B. The latter leaves
/// the rows of category A in the density that is shown, and compares it with those of B. Throws
/// Error(usage) if categories are missing or a field cannot have the value.
void take_comparison(const std::string& text, ViewState& state);
/// Offers the most frequent values of a column of the state's files, and compares the first two.
/// Throws Error(usage) if there are fewer.
void choose_categories(const std::string& column, CategoryChoice& choice, ViewState& state);
/// Compares the rows of A with those of B.
void compare_categories(CategoryChoice& choice, ViewState& state);

}  // namespace skde::view
