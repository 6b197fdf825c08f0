#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/view_state.hpp"

namespace skde::view {

/// Adds --isovalue and --mass.
void add_surface_flags(cli::OptionTable& table, ViewState& state);
/// Lets a flag replace the surfaces of an earlier state. Throws Error(usage) if both are given.
void take_surfaces(const cli::ParsedFlags& flags, ViewState& state);

}  // namespace skde::view
