#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/results/command_result.hpp"

namespace skde::cli {

// The commands, one file each: <name>_command.cpp.
CommandResult run_density(const Invocation& invocation);
CommandResult run_bandwidth(const Invocation& invocation);
CommandResult run_eval(const Invocation& invocation);
CommandResult run_smooth(const Invocation& invocation);
CommandResult run_fit(const Invocation& invocation);
CommandResult run_info(const Invocation& invocation);
CommandResult run_compare(const Invocation& invocation);
CommandResult run_convert(const Invocation& invocation);
CommandResult run_levels(const Invocation& invocation);
CommandResult run_merge(const Invocation& invocation);
CommandResult run_moments(const Invocation& invocation);
CommandResult run_iso(const Invocation& invocation);
CommandResult run_slice(const Invocation& invocation);
CommandResult run_project(const Invocation& invocation);
CommandResult run_sample(const Invocation& invocation);
CommandResult run_sort(const Invocation& invocation);
CommandResult run_generate(const Invocation& invocation);
CommandResult run_organise(const Invocation& invocation);
CommandResult run_formats(const Invocation& invocation);
CommandResult run_engines(const Invocation& invocation);

}  // namespace skde::cli
