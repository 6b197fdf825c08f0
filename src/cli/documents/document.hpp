#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// Returns the document that the hidden flag asks for: `man` (the page of the program), `man
/// COMMAND`, `bash` or `zsh` (its completions), or `commands` (their names, one per line). Throws
/// Error(usage) for anything else.
std::string document(const ProgramDescription& program, std::span<const std::string> what);

/// Returns the document of a program that has one table and no commands, or nothing if the
/// arguments do not begin with the hidden flag.
std::optional<std::string> wanted_document(const TableDescription& table,
                                           std::span<const std::string> arguments);

}  // namespace skde::cli
