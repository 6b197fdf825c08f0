#pragma once

#include <string>

#include "cli/options/option_table.hpp"
#include "cli/results/command_result.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/points/columns/reading_choices.hpp"

namespace skde::cli {

/// The flags of parts.
struct PartialOptions {
  io::CloudPart part{};
  std::string moments_file;  ///< file of the moments of all parts; empty: none
};

/// Adds --part.
void add_part_flag(OptionTable& table, io::CloudPart& part);
/// Adds --part and --moments.
void add_partial_options(OptionTable& table, PartialOptions& options);
/// Returns true if the output is, or for a plan would be, a file of partial sums. Throws
/// Error(usage) if flags of parts are given without one, or if other flags do not fit it.
bool is_partial_run(const ParsedFlags& flags, const std::string& output);

/// Sums a part of a cloud into a file and reports it, or only plans the run.
struct PartialRun {
  const DensityOptions* density = nullptr;
  PartialOptions partial;
  std::string output;
  SummaryForm form{};
  bool plans = false;
};
CommandResult run_partial(const PartialRun& run);

}  // namespace skde::cli
