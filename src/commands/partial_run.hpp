#pragma once

#include <string>

#include "cli/command_result.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "io/points/reading_choices.hpp"

namespace skde::cli {

/// What the flags of parts say.
struct PartialOptions {
  io::CloudPart part{};
  std::string moments_file;  ///< of all parts; empty: none
};

/// Adds --part.
void add_part_flag(OptionTable& table, io::CloudPart& part);
/// Adds --part and --moments.
void add_partial_options(OptionTable& table, PartialOptions& options);
/// True where the output is a file of partial sums, or would be one of a plan. Error(usage) where
/// flags of parts stand without one, or others that it does not go with.
bool is_partial_run(const ParsedFlags& flags, const std::string& output);

/// Sums a part of a cloud into a file and tells what it wrote; or only plans that.
struct PartialRun {
  const DensityOptions* density = nullptr;
  PartialOptions partial;
  std::string output;
  SummaryForm form{};
  bool plans = false;
};
CommandResult run_partial(const PartialRun& run);

}  // namespace skde::cli
