#pragma once

#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// Returns a zsh function that completes the program's commands, flags, words and files, and shows
/// their meanings.
std::string zsh_completion(const ProgramDescription& program);

}  // namespace skde::cli
