#include "cli/output_path.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"

namespace skde::cli {
namespace {

namespace fs = std::filesystem;

/// `path` as it will stand on the disk: absolute, links and dots resolved as far as they exist.
fs::path resolved(const fs::path& path) {
  std::error_code ignored;  // a path that cannot be resolved is compared as it stands
  const fs::path result = fs::weakly_canonical(path, ignored);
  return ignored ? path.lexically_normal() : result;
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
    fail("is a device or a pipe; a result is renamed into place, so name an ordinary file");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, problem))
    fail(fmt::format("there is no folder '{}'; make it first", folder.string()));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail(
        fmt::format("folder '{}' cannot be written to: {}", folder.string(), std::strerror(errno)));
}

void require_not_read(const std::string& path, std::string_view flag,
                      std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // two files of which one is missing are not the same
    if (input == "-" ||
        (resolved(path) != resolved(input) && !fs::equivalent(path, input, ignored)))
      continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{} {} would overwrite the input {}; name another file", flag, path, input));
  }
}

}  // namespace skde::cli
