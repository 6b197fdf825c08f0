#pragma once

#include <cstdint>
#include <string>

#include "analysis/category_densities.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/command_result.hpp"
#include "commands/output/category_sinks.hpp"
#include "estimate/fields/density_fields.hpp"

namespace skde::cli {

/// A run of `skde density` for each category of samples instead of for all of them together.
struct CategoryRequest {
  const DensityOptions* density = nullptr;
  CategorySpec spec;
  CategoryOutput output;
  PictureFile picture;
  std::string command_line;
  bool json = false, quiet = false;
};

/// Adds the flags of categories; `files` receives their column and its limit.
void add_category_options(OptionTable& table, CloudFiles& files, CategorySpec& spec);
/// Throws Error(usage) if one of them has no effect, or if another flag has no effect beside them.
void check_category_options(const ParsedFlags& flags);
/// Estimates, writes and reports.
CommandResult run_categories(const CategoryRequest& request);

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
