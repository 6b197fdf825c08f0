#pragma once

#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// A function for zsh that completes the program's commands, flags, words and files, with what they
/// mean beside them.
std::string zsh_completion(const ProgramDescription& program);

}  // namespace skde::cli
