#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench, one a file: <name>_experiment.cpp.
void run_case_experiment(const cli::Invocation& invocation);
void run_paper(const cli::Invocation& invocation);
void run_scale(const cli::Invocation& invocation);
void run_stages(const cli::Invocation& invocation);
void run_accuracy(const cli::Invocation& invocation);
void run_io(const cli::Invocation& invocation);

/// Runs skde-bench for these arguments (without the program's name) and returns its exit code.
int run_bench(const std::vector<std::string>& arguments);

}  // namespace skde::bench
