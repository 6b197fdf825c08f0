#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skde::io {

/// Creates a folder and its parents, if they do not exist. Throws Error(output), which says what
/// named the folder (`named_by`, as "-o"), if that fails.
void make_folder(const std::filesystem::path& folder, std::string_view named_by);

/// A folder that is removed with all its contents.
class ScratchFolder {
 public:
  /// Creates the folder within `parent`. Throws Error(output) if that fails; `named_by` says what
  /// named the parent.
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
