#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --split and --panel-width.
void add_division_flags(cli::OptionTable& table, ViewState& state);
/// Shows the panels if a picture without a window is to have them. Throws Error(usage) if one of
/// the flags has no effect on such a picture.
void take_division(const cli::ParsedFlags& flags, ViewOptions& options);

}  // namespace skde::view
