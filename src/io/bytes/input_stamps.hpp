#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skde::io {

/// True for standard input, pipes, devices and the like, whose bytes are gone once they are read.
bool is_read_once(const std::string& path);
/// The first of the inputs that is; empty where there is none.
std::string first_read_once(const std::vector<std::string>& inputs);

/// What the file system says of inputs, taken before they are read: files that are read again must
/// be the same then.
class InputStamps {
 public:
  explicit InputStamps(std::vector<std::string> inputs);
  /// Error(input) that names the first file which is another one now, or was written to.
  void require_unchanged() const;

 private:
  /// Which file it is, how long, and when its content and its inode changed, in nanoseconds.
  struct Stamp {
    std::uint64_t device = 0, inode = 0;
    std::int64_t bytes = 0, written = 0, changed = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  /// None of what is no ordinary file.
  static std::optional<Stamp> stamp_of(const std::string& path);

  std::vector<std::string> inputs_;
  std::vector<std::optional<Stamp>> stamps_;
};

}  // namespace skde::io
