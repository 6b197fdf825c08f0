#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace skde::test {

/// A folder of its own for a test, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  /// Writes a file of that name and returns its path.
  std::string file(std::string_view name, std::string_view content) const;
  /// Names of all that is in it, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path folder_;
};

/// The bytes of a file; none where there is no file.
std::string content_of(const std::string& path);

}  // namespace skde::test
