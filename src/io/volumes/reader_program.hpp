#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace skde::io {

/// A running program without input, whose standard output is read here. It has its own process
/// group and is killed in the destructor at the latest.
class ReaderProgram {
 public:
  /// Throws Error(resources) if it cannot be started. `patience` is the number of seconds for which
  /// it may be silent.
  ReaderProgram(std::vector<std::string> command, double patience);
  ReaderProgram(const ReaderProgram&) = delete;
  ReaderProgram& operator=(const ReaderProgram&) = delete;
  ~ReaderProgram();

  /// Reads `count` bytes; returns false if the output ended, or was silent for too long.
  bool take(char* to, std::size_t count);
  /// After take() returned false: says how the program ended, as "ended by signal 11 (Segmentation
  /// fault)".
  std::string end();

 private:
  bool wait_for_bytes() const;
  void stop();

  pid_t process_ = -1;
  int output_ = -1;
  double patience_;
  bool late_ = false;
};

}  // namespace skde::io
