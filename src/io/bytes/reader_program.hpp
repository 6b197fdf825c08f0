#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/child_process.hpp"

namespace skde::io {

/// What a process may take that reads a file.
struct ReadingLimits {
  double seconds = 0;  ///< of processor time, and of silence
  std::uint64_t bytes = 0;
};
ReadingLimits reading_limits(const std::string& path);

/// Sets the limits of this process, which reads a file for another.
void limit_this_process(const ReadingLimits& limits);
/// Lifts the memory limit of that process, once it has read everything that takes memory in
/// proportion to the file. A sparse volume may have far more cells than its file has bytes;
/// require_volume_fits() alone checks that. No effect elsewhere.
void lift_memory_limit();

/// Whether lift_memory_limit() has an effect here: limit_this_process() has set the limit.
bool has_memory_limit();
void assume_memory_limit(bool there);

/// A running program without input, whose standard output is read here.
class ReaderProgram {
 public:
  /// Throws Error(resources) if it cannot be started. `patience` is the number of seconds for which
  /// it may be silent.
  ReaderProgram(const std::vector<std::string>& command, double patience);

  /// Reads `count` bytes; returns false if the output ended, or was silent for too long.
  bool take(char* to, std::size_t count);
  /// After take() returned false: says how the program ended, as "ended by signal 11 (Segmentation
  /// fault)".
  std::string end();

 private:
  bool wait_for_bytes() const;

  ChildProcess child_;
  double patience_;
  bool late_ = false;
};

}  // namespace skde::io
