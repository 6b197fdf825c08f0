#pragma once

#include <memory>
#include <string>

namespace skde::io {

class ByteSource;

/// The files of a run. Each is opened once, when its bytes are asked for first, and stays open
/// until the last copy of this is gone: a second pass and a thread beside others read the same
/// descriptor, each at a place of its own. What is no ordinary file, as a pipe, is opened whenever
/// it is asked for, and so is a path where another file stands by now.
class OpenFiles {
 public:
  OpenFiles();
  /// As open_source(); by any thread.
  std::unique_ptr<ByteSource> source(const std::string& path) const;

  /// What is open is no part of what is asked for.
  friend bool operator==(const OpenFiles&, const OpenFiles&) { return true; }

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace skde::io
