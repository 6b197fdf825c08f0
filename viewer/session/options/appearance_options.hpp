#pragma once

#include "cli/options/option_table.hpp"
#include "viewer/session/appearance.hpp"

namespace skde::view {

/// Adds --theme, --ground, --title and --decorations.
void add_appearance_flags(cli::OptionTable& table, Appearance& appearance);

}  // namespace skde::view
