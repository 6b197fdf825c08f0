#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/results/command_result.hpp"
#include "core/report/stage_times.hpp"

namespace skde {

class Progress;
class Session;
struct CloudFiles;

namespace io {
class ArrayStream;
}

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

/// The type that a table's flags are tied to.
template <class Settings>
Settings settings_of(OptionTable (*make_table)(Settings&));

/// The input of a subcommand.
struct Invocation {
  std::vector<std::string> arguments;  ///< those after the subcommand's name
  std::string command_line;            ///< complete, quoted for a shell; stored in output files
  SessionKeeper* sessions = nullptr;   ///< null: the command makes its own session
  /// Bytes of host memory if neither a flag nor a kept session limits it; 0: what is available.
  std::int64_t memory_limit = 0;
  /// If set, the command only predicts what it would take.
  WorkForecast* forecast = nullptr;
  /// Otherwise, if set, takes the same before the work begins; what it throws ends the command.
  std::function<void(const WorkForecast&)> on_forecast{};
  bool wants_report = true;  ///< false: no text for people is made
  /// If set, a volume that is complete in memory goes there instead of into its file, if its format
  /// allows that.
  io::ArrayStream* stream = nullptr;

  /// Tells who asks what `predict` returns. Returns true if the command is to end with that.
  template <class Predict>
  bool foretells(const Predict& predict) const {
    if (forecast)
      *forecast = predict();
    else if (on_forecast)
      on_forecast(predict());
    return forecast != nullptr;
  }
};

/// A row of the table of subcommands.
struct Command {
  std::string_view name, summary;
  TableDescription (*describe)() = nullptr;
  /// Does the work, or returns the help page. Throws Error if the work fails.
  CommandResult (*run)(const Invocation& invocation) = nullptr;
};

/// Returns the row of a command whose flags `make_table` ties to settings of its own, and whose
/// work `work` does with these. Work that prints as it goes returns nothing.
template <auto make_table, auto work>
constexpr Command command(std::string_view name, std::string_view summary) {
  using Settings = decltype(settings_of(make_table));
  return {name, summary,
          [] {
            Settings settings{};
            return make_table(settings).describe();
          },
          [](const Invocation& invocation) -> CommandResult {
            Settings settings{};
            const OptionTable table = make_table(settings);
            const ParsedFlags flags = table.parse(invocation.arguments);
            if (flags.help_wanted) return {{}, nullptr, table.help(flags)};
            if constexpr (std::is_void_v<decltype(work(settings, flags, invocation))>) {
              work(settings, flags, invocation);
              return {.form = {.quiet = true}};
            } else {
              return work(settings, flags, invocation);
            }
          }};
}

}  // namespace skde::cli
