#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --score.
void add_question_flags(cli::OptionTable& table, ViewState& state);
/// Refuses these flags where they have no effect. Throws Error(usage).
void check_question_flags(const cli::ParsedFlags& flags, const ViewOptions& options);

}  // namespace skde::view
