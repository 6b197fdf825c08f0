#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/exit_code.hpp"
#include "core/report/error.hpp"

namespace skde::cli {

// Not by its header: the section in it is for programs, and no shared library may have it.
void end_failed_start();

namespace {

/// Writes without buffers: standard error may not be set up yet, and memory may be exhausted. If
/// the message cannot be written, nothing else can be done.
void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end_for_want_of(std::string_view what) {
  say(program_invocation_short_name);
  say(": ");
  say(what);
  say("; raise the limits on processes and address space (ulimit -u, ulimit -v)\n");
  _exit(exit_code(ErrorKind::resources));
}

[[noreturn]] void on_uncaught() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception())
      std::rethrow_exception(uncaught);
  } catch (const std::bad_alloc&) {
    end_for_want_of("out of memory");
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      end_for_want_of("the system cannot start more threads");
  } catch (...) {  // a bug in the program
  }
  std::abort();
}

}  // namespace

void end_failed_start() { std::set_terminate(on_uncaught); }

}  // namespace skde::cli
