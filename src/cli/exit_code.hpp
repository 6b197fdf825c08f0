#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "core/report/warning.hpp"

namespace skde::cli {

/// What the user asked to be checked does not hold; exit code 1.
class FailedCheck : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// 2 usage and unsupported, 3 input, 4 output, 5 resources, 130 cancelled.
int exit_code(ErrorKind kind);

/// A text with its `parameters` as flags: "use smaller --dims".
std::string with_flags(std::string_view text);
/// An error as the command line shows it: what is wrong and what mends it, with parameters as
/// flags: "--dims: '0' is not ...; use smaller --dims".
std::string error_text(const Error& error);
/// A warning, likewise.
std::string warning_text(const Warning& warning);
/// Prints a warning as one line on standard error: "skde: warning: ...".
void print_warning(std::string_view program, const Warning& warning);

/// How a program tells that it failed.
struct FailureReport {
  std::string_view program;
  std::string_view memory_hint;  ///< which flags take less memory
  bool as_json = false;          ///< on standard output as well
};

/// Runs a program's work and returns its exit code; an error is one line on standard error that
/// begins with the program's name.
int exit_code_of(const FailureReport& wanted, const std::function<void()>& work);

/// "skde 0.1.0 (compiler g++ 12.2.0)\n", and a line of build_parts().
std::string version_line(std::string_view program);

}  // namespace skde::cli
