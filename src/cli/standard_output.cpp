#include "cli/standard_output.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/results/command_result.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {
void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw Error(
      ErrorKind::output,
      fmt::format("standard output: cannot be written: {}; redirect it to a disk with free space",
                  std::strerror(errno)));
}

void print_json(const nlohmann::ordered_json& document) { print(io::json_text(document)); }

void print_result(const CommandResult& result) {
  const SummaryForm& form = result.form;
  if (form.quiet && !form.json) return;
  const std::string shown = form.json ? io::json_text(result.summary) : result.report;
  if (form.on_standard_error)
    tell(shown);
  else if (!shown.empty())
    print(shown);
}

void hold_standard_files() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is this descriptor, as all lower ones are taken.
    static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace skde::cli
