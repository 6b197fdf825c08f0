#pragma once

#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// Returns a bash script that completes the program's commands, flags, words and files.
std::string bash_completion(const ProgramDescription& program);

/// Returns the manual page of a program, in the macros of man(7).
std::string man_page(const ProgramDescription& program);

/// Returns the page of one of its commands: skde-density(1).
std::string man_page(const ProgramDescription& program, const CommandDescription& command);

/// Returns a zsh function that completes the program's commands, flags, words and files, and shows
/// their meanings.
std::string zsh_completion(const ProgramDescription& program);

}  // namespace skde::cli
