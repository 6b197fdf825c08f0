#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace skde::test {
namespace {

/// Returns a folder in memory if there is room: tests sync what they write, which is slow on some
/// disks.
std::filesystem::path parent_folder() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code none;
  const std::filesystem::space_info room = std::filesystem::space(memory, none);
  if (none || room.available < 4ull << 30 || std::getenv("TMPDIR") != nullptr)
    return std::filesystem::temp_directory_path();
  return memory;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (parent_folder() / "skde-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a folder that stays behind fails no test
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::file(std::string_view name, std::string_view content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
  return path(name);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    all.push_back(entry.path().filename().string());
  std::ranges::sort(all);
  return all;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace skde::test
