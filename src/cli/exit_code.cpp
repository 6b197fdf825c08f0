#include "cli/exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "cli/cancellation.hpp"
#include "cli/documents/document.hpp"
#include "cli/standard_output.hpp"
#include "core/error.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

/// "--memory-limit" for memory_limit.
std::string flag_of(std::string_view parameter) {
  std::string flag = fmt::format("--{}", parameter);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string with_flags(std::string_view text) {
  return with_parameters(text, [](std::string_view name, std::string_view value) {
    return fmt::format("{}{}{}", flag_of(name), value.empty() ? "" : " ", value);
  });
}

/// Line breaks inside (in a file's name, say) become blanks.
std::string single_line(std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return message;
}

/// Prints the one line of an error.
int report(std::string_view program, std::string message, int code) {
  // Whatever failed after the user asked to stop, failed because of it.
  if (cancel_requested()) {
    message = "cancelled";
    code = exit_code(ErrorKind::cancelled);
  }
  fmt::print(stderr, "{}: {}\n", program, single_line(std::move(message)));
  return code;
}

void work_or_describe(const std::function<void()>& work) {
  try {
    work();
  } catch (const DescriptionWanted& wanted) {
    print(document(wanted));
  }
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
  fmt::print(stderr, "{}: warning: {}\n", program, single_line(warning_text(warning)));
}

int exit_code_of(std::string_view program, std::string_view memory_hint,
                 const std::function<void()>& work) {
  try {
    work_or_describe(work);
    return 0;
  } catch (const Error& error) {
    return report(program, error_text(error), exit_code(error.kind()));
  } catch (const FailedCheck& failed) {
    return report(program, failed.what(), 1);
  } catch (const std::bad_alloc&) {
    return report(program, fmt::format("out of memory; use {}", memory_hint),
                  exit_code(ErrorKind::resources));
  } catch (const std::exception& error) {
    return report(program, fmt::format("unexpected failure: {}", error.what()),
                  exit_code(ErrorKind::resources));
  }
}

std::string version_line(std::string_view program) {
  return fmt::format("{} {} (compiler {}, CUDA {})\n", program, kVersion,
#if defined(__clang__)
                     "clang " __clang_version__,
#else
                     "g++ " __VERSION__,
#endif
                     SKDE_HAS_CUDA ? "yes" : "no");
}

}  // namespace skde::cli
