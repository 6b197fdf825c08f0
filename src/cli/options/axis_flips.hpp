#pragma once

#include <array>
#include <string>

#include "cli/options/option_table.hpp"

namespace skde::cli {

/// The text of --flip, and a row that has it: axes of pictures that grow in the opposite direction.
FieldText flip_text();
void add_flip_flag(OptionTable& table, std::array<bool, 3>& flipped);

/// Parses the axes of "z" or "x,z". Throws Error(usage) unless it names axes, each once.
std::array<bool, 3> parse_flips(const std::string& given);

}  // namespace skde::cli
