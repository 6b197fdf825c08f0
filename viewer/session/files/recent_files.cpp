#include "viewer/session/files/recent_files.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/report/error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/text/json_object.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::vector<std::string>> lists_from(const Json& json) {
  std::vector<std::vector<std::string>> lists;
  if (!json.is_array()) return lists;
  for (const Json& list : json) {
    std::vector<std::string> paths;
    if (!list.is_array()) continue;
    for (const Json& path : list)
      if (path.is_string()) paths.push_back(path.get<std::string>());
    if (!paths.empty()) lists.push_back(std::move(paths));
  }
  return lists;
}

}  // namespace

RecentFiles::RecentFiles() {
  const std::string view = recent_state_path();
  if (view.empty()) return;
  path_ = (fs::path(view).parent_path() / "recent.json").string();
  std::error_code none;  // a file that cannot be examined counts as missing
  first_use_ = !fs::exists(path_, none) && !fs::exists(view, none);
  if (!fs::exists(path_, none)) return;
  try {
    lists_ = lists_from(io::read_json(path_));
  } catch (const Error&) {
    return;
  }
}

void RecentFiles::add(const std::vector<std::string>& paths) {
  if (paths.empty() || !io::first_read_once(paths).empty()) return;
  std::vector<std::string> whole;
  for (const std::string& path : paths) whole.push_back(fs::absolute(path).string());
  if (!lists_.empty() && lists_.front() == whole) return;
  std::erase(lists_, whole);
  lists_.insert(lists_.begin(), std::move(whole));
  if (lists_.size() > kMost) lists_.resize(kMost);
  if (path_.empty()) return;
  std::error_code problem;  // without the folder, the file cannot be written
  fs::create_directories(fs::path(path_).parent_path(), problem);
  try {
    io::write_json(path_, Json(lists_));
  } catch (const Error&) {
    path_.clear();  // the list stays in memory
  }
}

}  // namespace skde::view
