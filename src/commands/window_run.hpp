#pragma once

#include <cstdint>
#include <string>

#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/command_result.hpp"

namespace skde::cli {

/// The flags of streams.
struct WindowOptions {
  std::uint64_t window = 0, every = 0;
};

/// Adds --window and --every.
void add_window_options(OptionTable& table, WindowOptions& options);
/// Returns true if a stream is followed. Throws Error(usage) if flags contradict that.
bool is_window_run(const ParsedFlags& flags);

/// Follows a stream and writes a volume at each step, or only plans the run.
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
