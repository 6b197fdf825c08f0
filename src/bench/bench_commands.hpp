#pragma once

#include "cli/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench.
void run_case_experiment(const cli::Invocation& invocation);
void run_paper(const cli::Invocation& invocation);
void run_scale(const cli::Invocation& invocation);
void run_stages(const cli::Invocation& invocation);
void run_points(const cli::Invocation& invocation);
void run_fit(const cli::Invocation& invocation);
void run_io(const cli::Invocation& invocation);
void run_report(const cli::Invocation& invocation);
void run_compare(const cli::Invocation& invocation);

}  // namespace skde::bench
