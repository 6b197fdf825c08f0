#include "io/bytes/scratch_folder.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/report/error.hpp"
#include "io/text_file.hpp"

namespace skde::io {

void make_folder(const std::filesystem::path& folder, std::string_view named_by) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem)
    throw Error(ErrorKind::output, fmt::format("{}: the folder cannot be created: {} (named by {})",
                                               folder.string(), problem.message(), named_by));
}

ScratchFolder::ScratchFolder(const std::string& parent, std::string_view named_by)
    : path_(parent + "/skde-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr)
    throw Error(ErrorKind::output,
                fmt::format("{}: no folder can be created there: {} (named by {})", parent,
                            std::strerror(errno), named_by));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // whatever cannot be removed stays
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

std::string ScratchFolder::write(std::string_view name, std::string_view text) const {
  write_text(file(name), text);
  return file(name);
}

}  // namespace skde::io
