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

}  // namespace skde::cli
