#pragma once

#include <string>

#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// Returns the manual page of a program, in the macros of man(7).
std::string man_page(const ProgramDescription& program);

/// Returns the page of one of its commands: skde-density(1).
std::string man_page(const ProgramDescription& program, const CommandDescription& command);

}  // namespace skde::cli
