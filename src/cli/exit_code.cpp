#include "cli/exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "cli/cancellation.hpp"
#include "core/error.hpp"
#include "core/version.hpp"

namespace skde::cli {
namespace {

/// Prints the one line of an error. Line breaks inside (in a file's name, say) become blanks.
int report(std::string_view program, std::string message, ErrorKind kind) {
  // Whatever failed after the user asked to stop, failed because of it.
  if (cancel_requested()) {
    message = "cancelled";
    kind = ErrorKind::cancelled;
  }
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  fmt::print(stderr, "{}: {}\n", program, message);
  return static_cast<int>(kind);
}

}  // namespace

int exit_code_of(std::string_view program, std::string_view memory_hint,
                 const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    return report(program, error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return report(program, fmt::format("out of memory; use {}", memory_hint), ErrorKind::resources);
  } catch (const std::exception& error) {
    return report(program, fmt::format("unexpected failure: {}", error.what()),
                  ErrorKind::resources);
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
