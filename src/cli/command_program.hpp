#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/documents/command_description.hpp"

namespace skde::cli {

/// A program with subcommands.
struct CommandProgram {
  std::string_view name;     ///< as the user types it: "skde"
  std::string_view summary;  ///< what it does, for the top of the help page
  std::span<const Command> commands;
  std::string_view examples;     ///< end of the help page
  std::string_view memory_hint;  ///< which flags take less memory
  /// Returns the schema of the documents that --json prints. Not null: errors are documents as
  /// well.
  std::string (*json_schema)() = nullptr;
};

/// Runs the program for these arguments (without its name) and returns the exit code. Prints an
/// error as one line on standard error.
int run_commands(const CommandProgram& program, const std::vector<std::string>& arguments);

/// A program and its arguments, quoted for a shell.
std::string command_line(std::string_view program, std::span<const std::string> arguments);

}  // namespace skde::cli
