#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace skde::test {

/// A new folder for a test, removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  /// Writes a file of this name and returns its path.
  std::string file(std::string_view name, std::string_view content) const;
  /// Returns the names of all entries, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path folder_;
};

/// Returns the bytes of a file, or an empty string if it does not exist.
std::string content_of(const std::string& path);

}  // namespace skde::test
