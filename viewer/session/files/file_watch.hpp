#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skde::view {

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
