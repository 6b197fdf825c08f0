#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skde {

class Progress;
class Session;
struct CloudFiles;
struct WorkForecast;

}  // namespace skde

namespace skde::cli {

/// Keeps the sessions of a program that runs commands one after another.
class SessionKeeper {
 public:
  virtual ~SessionKeeper() = default;
  /// Returns the session of these files, whose samples may already be in memory. The files are
  /// opened in parts or, if `in_memory`, as a whole.
  virtual Session& session(const CloudFiles& files, bool in_memory, Progress& progress) = 0;
};

struct CommandResult;

/// The input of a subcommand.
struct Invocation {
  std::vector<std::string> arguments;  ///< those after the subcommand's name
  std::string command_line;            ///< complete, quoted for a shell; stored in output files
  SessionKeeper* sessions = nullptr;   ///< null: the command makes its own session
  /// Bytes of host memory if neither a flag nor a kept session limits it; 0: what is available.
  std::int64_t memory_limit = 0;
  /// If set, the command only predicts what it would take.
  WorkForecast* forecast = nullptr;
  bool wants_report = true;  ///< false: no text for people is made
};

/// A row of the table of subcommands.
struct Command {
  std::string_view name;
  std::string_view summary;
  /// Does the work. Throws Error if that fails.
  CommandResult (*run)(const Invocation& invocation);
};

}  // namespace skde::cli
