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

/// Who runs commands one after the other, and keeps their sessions in between.
class SessionKeeper {
 public:
  virtual ~SessionKeeper() = default;
  /// The session of these files, whose samples may be in memory already: opened in parts or, where
  /// `in_memory`, whole.
  virtual Session& session(const CloudFiles& files, bool in_memory, Progress& progress) = 0;
};

struct CommandResult;

/// What a subcommand gets.
struct Invocation {
  std::vector<std::string> arguments;  ///< those behind the subcommand's name
  std::string command_line;            ///< all of it, quoted for a shell; for the files written
  SessionKeeper* sessions = nullptr;   ///< null: a command has a session of its own
  /// Bytes of host memory where no flag and no kept session says any; 0: what is available.
  std::int64_t memory_limit = 0;
  /// Where it is set, the command predicts what it would take, and does nothing.
  WorkForecast* forecast = nullptr;
  bool wants_report = true;  ///< false: nothing is made that is for people alone
};

/// A row of the table of subcommands.
struct Command {
  std::string_view name;
  std::string_view summary;
  /// Does the work; throws Error where it cannot.
  CommandResult (*run)(const Invocation& invocation);
};

}  // namespace skde::cli
