#pragma once

#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// Returns a bash script that completes the program's commands, flags, words and files.
std::string bash_completion(const ProgramDescription& program);

}  // namespace skde::cli
