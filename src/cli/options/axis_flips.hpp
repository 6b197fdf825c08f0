#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/options/option_table.hpp"

namespace skde::cli {

/// The text of --flip, and a row that has it: axes of pictures that grow in the opposite direction.
FieldText flip_text();
void add_flip_flag(OptionTable& table, std::optional<std::array<bool, 3>>& flipped);

/// Parses the axes of "z" or "x,z", or "none". Throws Error(usage) unless it names axes, each once.
std::array<bool, 3> parse_flips(const std::string& given);

}  // namespace skde::cli
