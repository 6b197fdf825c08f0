#include "viewer/session/files/opened_files.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/report/error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/text/json_object.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

namespace fs = std::filesystem;

constexpr double kPause = 1;  // seconds
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

void FileWatch::watch(const std::vector<std::string>& paths) {
  if (paths == paths_) return;
  paths_ = paths;
  known_ = seen_ = stamps();
}

std::vector<FileWatch::Stamp> FileWatch::stamps() const {
  std::vector<Stamp> stamps;
  for (const std::string& path : paths_) {
    std::error_code none;  // a part of a file, or one that is gone, has no stamp
    const auto written = std::filesystem::last_write_time(path, none);
    const std::uintmax_t bytes = none ? 0 : std::filesystem::file_size(path, none);
    stamps.push_back(none ? Stamp() : Stamp(std::pair(written, bytes)));
  }
  return stamps;
}

bool FileWatch::changed(double now) {
  if (paths_.empty() || now - looked_at_ < kPause) return false;
  looked_at_ = now;
  std::vector<Stamp> current = stamps();
  const bool is_still = current == seen_;
  seen_ = std::move(current);
  const bool all_there = std::ranges::all_of(seen_, [](const Stamp& stamp) { return !!stamp; });
  if (!is_still || seen_ == known_ || !all_there) return false;
  known_ = seen_;
  return true;
}

}  // namespace skde::view
