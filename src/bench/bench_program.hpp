#pragma once

#include <string>
#include <vector>

#include "apps/command.hpp"

namespace skde::bench {

// The subcommands of skde-bench, one a file: <name>_experiment.cpp.
void run_case_experiment(const apps::Invocation& invocation);
void run_paper(const apps::Invocation& invocation);
void run_scale(const apps::Invocation& invocation);
void run_stages(const apps::Invocation& invocation);
void run_accuracy(const apps::Invocation& invocation);
void run_io(const apps::Invocation& invocation);

/// Runs skde-bench for these arguments (without the program's name) and returns its exit code.
int run_bench(const std::vector<std::string>& arguments);

}  // namespace skde::bench
