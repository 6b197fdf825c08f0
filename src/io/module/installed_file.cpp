#include "io/module/installed_file.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

namespace skde::io {
namespace {

namespace fs = std::filesystem;

/// Folders of this code: that of the program or shared library.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&installed_file), &here) != 0 &&
      here.dli_fname != nullptr && here.dli_fname[0] == '/')
    folders.push_back(fs::path(here.dli_fname).parent_path());
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (!unknown) folders.push_back(program.parent_path());
  return folders;
}

std::vector<fs::path> places() {
  if (const char* const chosen = secure_getenv("SKDE_LIBEXEC")) return {chosen};
  std::vector<fs::path> all;
  for (const fs::path& own : own_folders())
    for (const char* const place : {".", "../bin", "../libexec/skde", "../" SKDE_LIBRARY_LIBEXEC,
                                    "../../libexec/skde", "../../" SKDE_LIBRARY_LIBEXEC})
      all.push_back(own / place);
  all.emplace_back(SKDE_READER_PLACE);
  return all;
}

}  // namespace

std::string installed_file(std::string_view name) {
  for (const fs::path& place : places())
    if (const fs::path file = place / name; access(file.c_str(), R_OK) == 0)
      return file.lexically_normal().string();
  return "";
}

}  // namespace skde::io
