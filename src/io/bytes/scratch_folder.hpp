#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skde::io {

/// Makes a folder with those that it lies in, where they are not there. Throws Error(output) that
/// says what named it: "-o".
void make_folder(const std::filesystem::path& folder, std::string_view named_by);

/// A folder that is removed with all that is in it.
class ScratchFolder {
 public:
  /// Within `parent`. Throws Error(output) where none can be made there; `named_by` is what named
  /// the parent.
  explicit ScratchFolder(
      const std::string& parent = std::filesystem::temp_directory_path().string(),
      std::string_view named_by = "TMPDIR");
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// The path of a file of this name in it.
  std::string file(std::string_view name) const;
  /// Writes a file of this name and returns its path. Throws Error(output).
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace skde::io
