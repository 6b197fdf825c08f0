#include "cli/exit_code.hpp"

#include <fmt/core.h>

#include <atomic>
#include <new>

#include "cli/cancellation.hpp"
#include "cli/outputs.hpp"
#include "cli/results/json_document.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

/// How many warnings print_warning() has printed.
std::atomic<int> warnings_printed = 0;

Failure failure_of(const Error& error) {
  return {std::string(error_kind_name(error.kind())), error.problem(), error.advice(),
          exit_code(error.kind())};
}

/// Reports the failure that `line` describes. If the user has asked to stop, that is the cause.
int report(const FailureReport& wanted, std::string line, Failure failure) {
  if (cancel_requested()) {
    line = "cancelled";
    failure = failure_of({ErrorKind::cancelled, line});
  }
  tell(fmt::format("{}: {}\n", wanted.program, printable_line(line)));
  if (!wanted.as_json) return failure.exit_code;
  try {
    print_json(error_document(failure));
  } catch (const Error&) {  // standard error has the message; nothing else can be done
  }
  return failure.exit_code;
}

}  // namespace

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::unsupported:
      return 2;
    case ErrorKind::input:
      return 3;
    case ErrorKind::output:
      return 4;
    case ErrorKind::resources:
      return 5;
    case ErrorKind::cancelled:
      return 130;
  }
  return 2;
}

std::string error_text(const Error& error) {
  const bool misused = error.kind() == ErrorKind::usage || error.kind() == ErrorKind::unsupported;
  std::string text;
  if (misused && !error.parameter().empty()) text = flag_of(error.parameter()) + ": ";
  text += error.problem();
  if (!error.suggestion().empty()) text += "; " + with_flags(error.suggestion());
  return text;
}

std::string warning_text(const Warning& warning) {
  std::string text = warning.problem;
  if (!warning.advice.suggestion.empty()) text += "; " + with_flags(warning.advice.suggestion);
  return text;
}

void print_warning(std::string_view program, const Warning& warning) {
  ++warnings_printed;
  tell(fmt::format("{}: warning: {}\n", program, printable_line(warning_text(warning))));
}

int exit_code_of(const FailureReport& wanted, const std::function<void()>& work) {
  try {
    work();
    if (!wanted.strict || warnings_printed == 0) return 0;
    tell(fmt::format("{}: a warning is an error with --strict; what is written stays\n",
                     wanted.program));
    return 1;  // without a document: that of the summary has the warnings
  } catch (const Error& error) {
    return report(wanted, error_text(error), failure_of(error));
  } catch (const FailedCheck& failed) {
    return report(wanted, failed.what(), {"check", failed.what(), {}, 1});
  } catch (const std::bad_alloc&) {
    const Error error(ErrorKind::resources, "out of memory",
                      {"memory_limit", fmt::format("use {}", wanted.memory_hint)});
    return report(wanted, error_text(error), failure_of(error));
  } catch (const std::exception& error) {
    const std::string what = fmt::format("unexpected failure: {}", error.what());
    return report(wanted, what, {"internal", what, {}, exit_code(ErrorKind::resources)});
  }
}

std::string version_line(std::string_view program) {
  return fmt::format("{} {} (compiler {})\n{}\n", program, kVersion,
#if defined(__clang__)
                     "clang " __clang_version__,
#else
                     "g++ " __VERSION__,
#endif
                     build_parts());
}

}  // namespace skde::cli
