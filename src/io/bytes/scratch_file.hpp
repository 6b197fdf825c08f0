#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/placed_writes.hpp"

namespace skde::io {

/// A file for intermediate results. It has no name once it is open, so that it is gone however the
/// process ends.
class ScratchFile {
 public:
  /// Creates it with this size in the folder of `beside`, a path. Throws Error(output) if that
  /// fails.
  ScratchFile(const std::string& beside, std::uint64_t bytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Any thread may read and write. Both throw Error(output) if they fail.

  void write(std::uint64_t position, const void* bytes, std::size_t count);
  void read(std::uint64_t position, void* to, std::size_t count) const;

 private:
  [[noreturn]] void fail(int problem) const;

  std::string place_;
  int descriptor_ = -1;
  std::unique_ptr<PlacedWrites> placed_;
};

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
