#pragma once

#include "cli/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench that read results, one a file: <name>_command.cpp.
void run_report(const cli::Invocation& invocation);
void run_compare(const cli::Invocation& invocation);

}  // namespace skde::bench
