#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/report/error.hpp"

namespace skde::cli {

/// Thrown if a check that the user asked for fails; exit code 1.
class FailedCheck : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns 2 for usage and unsupported, 3 for input, 4 for output, 5 for resources and 130 for
/// cancelled.
int exit_code(ErrorKind kind);

/// Returns an error as the command line shows it: the problem and its remedy, with parameters as
/// flags: "--dims: '0' is not ...; use smaller --dims".
std::string error_text(const Error& error);
/// Returns a warning in the same form.
std::string warning_text(const Warning& warning);
/// Prints a warning as one line on standard error: "skde: warning: ...".
void print_warning(std::string_view program, const Warning& warning);

/// How a program reports a failure.
struct FailureReport {
  std::string_view program;
  std::string_view memory_hint;  ///< which flags take less memory
  bool as_json = false;          ///< also as JSON on standard output
  bool strict = false;           ///< a printed warning is a failed check
};

/// Runs a program's work and returns its exit code. Prints an error as one line on standard error
/// that begins with the program's name.
int exit_code_of(const FailureReport& wanted, const std::function<void()>& work);

/// Returns "skde 0.1.0 (compiler g++ 12.2.0)\n", and a line with build_parts().
std::string version_line(std::string_view program);

/// Returns which optional parts this build has and which it lacks: "with FFTW (GPL), HDF5; without
/// CUDA". The build configuration writes the text.
std::string_view build_parts();

}  // namespace skde::cli
