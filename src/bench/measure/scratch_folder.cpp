#include "bench/measure/scratch_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/error.hpp"
#include "io/output_file.hpp"

namespace skde::bench {

ScratchFolder::ScratchFolder(const std::string& parent, std::string_view named_by) {
  std::string pattern = (std::filesystem::path(parent) / "skde-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error(ErrorKind::output, fmt::format("{}: no folder can be made there: {} (named by {})",
                                               parent, std::strerror(errno), named_by));
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // what cannot be removed stays
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::write(std::string_view name, std::string_view text) const {
  io::OutputFile output(file(name));
  output.write(text);
  output.commit();
  return file(name);
}

}  // namespace skde::bench
