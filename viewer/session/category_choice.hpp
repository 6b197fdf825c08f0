#pragma once

#include <string>

#include "viewer/scene/view_state.hpp"

namespace skde::view {

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
