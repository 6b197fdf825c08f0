#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skde::view {

/// The files that were opened lately, those of the last first; several may be one cloud.
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 12;

  /// Reads the list that the last session kept beside the recent view. A list that cannot be read
  /// counts as empty: it is a convenience.
  RecentFiles();
  /// Puts these files first and writes the list. Does nothing if they are there, or with pipes.
  void add(const std::vector<std::string>& paths);
  const std::vector<std::vector<std::string>>& lists() const { return lists_; }
  /// Returns true if no session has kept anything yet.
  bool is_first_use() const { return first_use_; }

 private:
  std::string path_;  ///< of the list; empty if there is no place for it
  std::vector<std::vector<std::string>> lists_;
  bool first_use_ = false;
};

/// Notices that files have changed on the disk. It looks at most once a second.
class FileWatch {
 public:
  /// Watches these files from now on. Does nothing if they are watched already.
  void watch(const std::vector<std::string>& paths);
  /// Returns true, once for each change, if a file was changed or replaced, and all of them have
  /// stayed as they are for a second: writers need time. `now` is in seconds on any clock.
  bool changed(double now);

 private:
  /// When a file last changed, and its length; nothing for one that is not there.
  using Stamp = std::optional<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  std::vector<Stamp> stamps() const;

  std::vector<std::string> paths_;
  std::vector<Stamp> known_, seen_;  ///< when last told, and when last looked
  double looked_at_ = 0;
};

}  // namespace skde::view
