#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Texts of flags that are understood once all others are known.
struct QuestionFlags {
  std::string compare;
};

/// Adds --score, --compare and --compare-as.
void add_question_flags(cli::OptionTable& table, ViewState& state, QuestionFlags& fields);
/// Refuses these flags where they have no effect. Throws Error(usage).
void check_question_flags(const cli::ParsedFlags& flags, const ViewOptions& options);

/// Takes the text of --compare: what CompareState::with holds, or by=COLUMN:A,B. The latter leaves
/// the rows of category A in the density that is shown, and compares it with those of B. Throws
/// Error(usage) if categories are missing or a field cannot have the value.
void take_comparison(const std::string& text, ViewState& state);

}  // namespace skde::view
