#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace skde::cli {

// One a file: <name>_command.cpp.
void run_density(const Invocation& invocation);
void run_bandwidth(const Invocation& invocation);
void run_eval(const Invocation& invocation);
void run_smooth(const Invocation& invocation);
void run_info(const Invocation& invocation);
void run_compare(const Invocation& invocation);
void run_convert(const Invocation& invocation);
void run_levels(const Invocation& invocation);
void run_merge(const Invocation& invocation);
void run_moments(const Invocation& invocation);
void run_iso(const Invocation& invocation);
void run_slice(const Invocation& invocation);
void run_project(const Invocation& invocation);
void run_sample(const Invocation& invocation);
void run_generate(const Invocation& invocation);
void run_formats(const Invocation& invocation);
void run_engines(const Invocation& invocation);

/// Runs the program for these arguments (without the program's name) and returns its exit code;
/// an error is one line on standard error.
int run_program(const std::vector<std::string>& arguments);

}  // namespace skde::cli
