#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace skde::io {

class ByteSource;

/// The files of a run. Each is opened when its bytes are first asked for, and stays open until the
/// last copy of this object is gone. A second pass and parallel threads read the same descriptor,
/// each at its own position. Anything but a regular file, such as a pipe, is opened at each
/// request, and so is a path that names another file by now.
class OpenFiles {
 public:
  OpenFiles();
  /// Same as open_source(); may be called by any thread.
  std::unique_ptr<ByteSource> source(const std::string& path) const;

  /// Bytes that a file which is decoded as a whole may take in memory; 0: no limit.
  std::int64_t memory_limit = 0;

  /// Always equal, because open files are not part of a request.
  friend bool operator==(const OpenFiles&, const OpenFiles&) { return true; }

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace skde::io
