#pragma once

#include "apps/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench that read results, one a file: <name>_command.cpp.
void run_report(const apps::Invocation& invocation);
void run_compare(const apps::Invocation& invocation);

}  // namespace skde::bench
