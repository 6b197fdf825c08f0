#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_state.hpp"

namespace skde::view {

/// Adds --proportions: a word, or a factor for each axis.
void add_proportion_flag(cli::OptionTable& table, ViewState& state);

}  // namespace skde::view
