#pragma once

#include <array>
#include <string>

#include "cli/options/option_table.hpp"

namespace skde::cli {

/// Adds --flip: axes of pictures that grow the other way.
void add_flip_flag(OptionTable& table, std::array<bool, 3>& flipped);

/// The axes of "z" or "x,z"; Error(usage) where it does not name axes, each once.
std::array<bool, 3> parse_flips(const std::string& given);

}  // namespace skde::cli
