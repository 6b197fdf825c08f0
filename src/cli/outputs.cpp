#include "cli/outputs.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/results/command_result.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "io/text/json_object.hpp"

namespace skde::cli {
namespace {

namespace fs = std::filesystem;

/// Returns `path` as it will be on the disk: absolute, with links and dots resolved as far as they
/// exist.
fs::path resolved(const fs::path& path) {
  std::error_code ignored;  // a path that cannot be resolved is compared as it is
  const fs::path result = fs::weakly_canonical(path, ignored);
  return ignored ? path.lexically_normal() : result;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // if one file is missing, they are not the same
  if (fs::exists(a, ignored) != fs::exists(b, ignored)) return false;
  return resolved(a) == resolved(b) || fs::equivalent(a, b, ignored);
}

}  // namespace

void require_writable(const std::string& path, std::string_view flag) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::output, fmt::format("{}: {} (named by {})", path, why, flag));
  };
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (fs::is_directory(status)) fail("is a folder; name a file in it");
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail("is a device or a pipe; name a regular file");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, problem))
    fail(fmt::format("the folder '{}' does not exist; create it first", folder.string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail(fmt::format("folder '{}' is not writable: {}; name another one", folder.string(),
                     std::strerror(errno)));
}

void require_not_read(const std::string& path, std::string_view flag,
                      std::span<const std::string> inputs) {
  for (const std::string& input : inputs)
    if (input != "-" && is_same_file(path, input))
      throw Error(ErrorKind::usage, fmt::format("{} would overwrite the input {} with {}; name "
                                                "another file",
                                                flag, input, path));
}

void require_other_file(const std::string& path, std::string_view flag,
                        std::span<const std::string> others) {
  for (const std::string& other : others)
    if (is_same_file(path, other))
      throw Error(
          ErrorKind::usage,
          fmt::format("{} {} is already written, as {}; name another file", flag, path, other));
}

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
