#pragma once

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

}  // namespace skde::view
