#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skde::bench {

/// A folder that is removed with all that is in it.
class ScratchFolder {
 public:
  /// Within `parent`. Throws Error(output) where none can be made there; `named_by` is what named
  /// the parent: "--scratch".
  ScratchFolder(const std::string& parent, std::string_view named_by);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// The path of a file of this name in it.
  std::string file(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file of this name and returns its path. Throws Error(output).
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace skde::bench
