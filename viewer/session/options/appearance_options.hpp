#pragma once

#include <array>
#include <string>

#include "cli/options/option_table.hpp"
#include "viewer/session/appearance.hpp"

namespace skde::view {

/// Returns the width and height, in pixels, of a text such as 1280x800. Throws Error(usage).
std::array<int, 2> parse_picture_size(const std::string& given);
/// Adds --theme, --ground, --title, --decorations, --picture-format and --picture-size.
void add_appearance_flags(cli::OptionTable& table, Appearance& appearance);

}  // namespace skde::view
