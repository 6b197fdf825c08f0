#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skde::io {

/// Returns true for standard input, pipes, devices and the like, whose bytes are gone once read.
bool is_read_once(const std::string& path);
/// Returns the first input that can be read only once; empty if there is none.
std::string first_read_once(const std::vector<std::string>& inputs);
/// Returns the total bytes of all inputs that are files; pipes and parts of files do not count.
std::uint64_t file_bytes(const std::vector<std::string>& inputs);

/// Records what the file system says of inputs before they are read. Files that are read again must
/// not have changed since.
class InputStamps {
 public:
  explicit InputStamps(std::vector<std::string> inputs);
  /// Throws Error(input) that names the first file that was replaced or written to.
  void require_unchanged() const;

 private:
  /// Identity and length of a file, and when its content and its inode changed, in nanoseconds.
  struct Stamp {
    std::uint64_t device = 0, inode = 0;
    std::int64_t bytes = 0, written = 0, changed = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  /// Empty for anything but a regular file.
  static std::optional<Stamp> stamp_of(const std::string& path);

  std::vector<std::string> inputs_;
  std::vector<std::optional<Stamp>> stamps_;
};

}  // namespace skde::io
