#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::cli {

/// What a subcommand gets.
struct Invocation {
  std::vector<std::string> arguments;  ///< those behind the subcommand's name
  std::string command_line;            ///< all of it, quoted for a shell; for the files written
};

/// A row of the table of subcommands.
struct Command {
  std::string_view name;
  std::string_view summary;
  /// Does the work; throws Error where it cannot.
  void (*run)(const Invocation& invocation);
};

// One a file: <name>_command.cpp.
void run_density(const Invocation& invocation);
void run_info(const Invocation& invocation);
void run_generate(const Invocation& invocation);
void run_formats(const Invocation& invocation);
void run_engines(const Invocation& invocation);

/// Runs the program for these arguments (without the program's name) and returns its exit code;
/// an error is one line on standard error.
int run_program(const std::vector<std::string>& arguments);

}  // namespace skde::cli
