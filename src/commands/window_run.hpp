#pragma once

#include <cstdint>
#include <string>

#include "cli/command_result.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"

namespace skde::cli {

/// What the flags of streams say.
struct WindowOptions {
  std::uint64_t window = 0, every = 0;
};

/// Adds --window and --every.
void add_window_options(OptionTable& table, WindowOptions& options);
/// True where a stream is followed. Error(usage) where flags contradict that.
bool is_window_run(const ParsedFlags& flags);

/// Follows a stream and writes a volume each time; or only plans that.
struct WindowRun {
  const DensityOptions* density = nullptr;
  WindowOptions window;
  std::string moments_file;
  std::string output, format, command_line;
  SummaryForm form{};
  bool plans = false;
};
CommandResult run_window(const WindowRun& run);

}  // namespace skde::cli
