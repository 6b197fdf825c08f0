#pragma once

#include <span>
#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// What the hidden flag asks for: `man` (the page of the program), `man COMMAND`, `bash` or `zsh`
/// (its completions), or `commands` (their names, one a line). Error(usage) for anything else.
std::string document(const ProgramDescription& program, std::span<const std::string> what);

/// The same of a program that has one table and no commands.
std::string document(const DescriptionWanted& wanted);

}  // namespace skde::cli
