#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

namespace skde::test {

/// A folder of its own for a test, gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "skde-view-XXXXXX").string();
    if (!mkdtemp(pattern.data())) FAIL("no folder for the test can be made");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;  // what is left is in the folder for such things
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace skde::test
