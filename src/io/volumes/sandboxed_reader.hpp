#pragma once

#include <cstdint>
#include <string>

#include "io/volumes/volume_formats.hpp"

namespace skde::io {

// Libraries of others believe what a broken or a hostile file says: they end the program, run
// without end or ask for all memory. Volumes of their formats are read in a process of its own,
// whose time and memory follow the size of the file. That process is another program and no copy
// of this one, as a copy of a program with threads may do next to nothing.

struct ReadingLimits {
  double seconds = 0;  ///< of a processor, and without a word
  std::uint64_t bytes = 0;
};
ReadingLimits reading_limits(const std::string& path);

/// As read() and read_head() of the format. Error(input) where the process ends without an answer,
/// or says nothing for `patience` seconds; Error(unsupported) where its program is not there.
/// `field`: of several volumes, which one; empty: the usual one.
VolumeFile read_volume_sandboxed(const VolumeFormat& format, const std::string& path,
                                 double patience, const std::string& field = {});
VolumeHead read_head_sandboxed(const VolumeFormat& format, const std::string& path, double patience,
                               const std::string& field = {});

/// In that process, once all is read that sizes itself: a sparse volume may have far more cells
/// than its file has bytes, and require_volume_fits() alone judges them. Elsewhere nothing.
void lift_memory_limit();

/// The other side, in that process: the words of the command line are the format, "volume" or
/// "head", the path, and the field, if one is named; the answer goes to standard output. Returns
/// the exit code.
int answer_reader(const std::string& format, const std::string& part, const std::string& path,
                  const std::string& field);

}  // namespace skde::io
