#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace skde::io {

/// A program at work without input, whose standard output is read here. It has a process group of
/// its own, and ends at the end of its scope at the latest.
class ReaderProgram {
 public:
  /// Error(resources) where it cannot be begun. `patience`: for how many seconds it may say
  /// nothing.
  ReaderProgram(std::vector<std::string> command, double patience);
  ReaderProgram(const ReaderProgram&) = delete;
  ReaderProgram& operator=(const ReaderProgram&) = delete;
  ~ReaderProgram();

  /// Fills `count` bytes; false where it says no more, or nothing for too long.
  bool take(char* to, std::size_t count);
  /// Once take() was false: how it ended, as "ended by signal 11 (Segmentation fault)".
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
