#pragma once

#include <string>
#include <vector>

namespace skde::cli {

/// Runs the program with these arguments (without the program's name) and returns its exit code; an
/// error is one line on standard error.
int run_program(const std::vector<std::string>& arguments);

}  // namespace skde::cli
