#include "viewer/session/files/file_watch.hpp"

#include <algorithm>
#include <system_error>

namespace skde::view {
namespace {

constexpr double kPause = 1;  // seconds

}  // namespace

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
