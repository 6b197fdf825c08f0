#include "system/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace skde {
namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // no such file, or "max"
}

/// The file names of one control group version, in the folder of a group.
struct GroupFiles {
  const char* limit;
  const char* used;
};
constexpr GroupFiles kVersion2{"memory.max", "memory.current"},
    kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes"};

/// True if a list such as "cpu,memory" contains memory.
bool has_memory(std::string_view controllers) {
  while (true) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "memory") return true;
    if (comma == controllers.npos) return false;
    controllers.remove_prefix(comma + 1);
  }
}

/// The lowest limit and the least memory left among some groups.
struct GroupMemory {
  std::optional<std::int64_t> limit, left;

  void add(std::int64_t most, std::int64_t used) {
    const std::int64_t rest = std::max<std::int64_t>(0, most - used);
    limit = std::min(most, limit.value_or(most));
    left = std::min(rest, left.value_or(rest));
  }
};

/// Adds the group at this path below `mount` and its parents. Inside a container the path may be
/// the one outside it, so groups that do not exist are skipped.
void look_upwards(const fs::path& mount, std::string_view path, const GroupFiles& files,
                  GroupMemory& least) {
  while (true) {
    while (path.ends_with('/')) path.remove_suffix(1);
    const fs::path group = mount / (path.starts_with('/') ? path.substr(1) : path);
    const auto limit = number_in(group / files.limit), used = number_in(group / files.used);
    if (limit && used) least.add(*limit, *used);
    if (path.empty()) return;
    path = path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  }
}

GroupMemory memory_of_groups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  GroupMemory least;
  std::ifstream groups(root / "proc/self/cgroup");
  // Lines are "4:memory:/a/b" in version 1 and "0::/a/b" in version 2.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view all = line, path = all.substr(second + 1),
                           controllers = all.substr(first + 1, second - first - 1);
    if (controllers.empty())
      look_upwards(mount, path, kVersion2, least);
    else if (has_memory(controllers))
      look_upwards(mount / "memory", path, kVersion1, least);
  }
  return least;
}

}  // namespace

std::optional<std::int64_t> left_in_control_groups(const fs::path& root) {
  return memory_of_groups(root).left;
}

std::optional<std::int64_t> limit_of_control_groups(const fs::path& root) {
  return memory_of_groups(root).limit;
}

}  // namespace skde
