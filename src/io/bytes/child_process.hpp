#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/progress.hpp"

namespace skde::io {

/// How a program ended.
struct ProgramEnd {
  int code = 0;           ///< exit code, or 128 and the signal that ended it
  bool late = false;      ///< it was silent for too long and was killed
  std::string complaint;  ///< the last line that it wrote besides JSON objects
};

/// Takes a line with a JSON object; returns false if the program is to be ended.
using TakeLine = std::function<bool(const std::string& line)>;

/// Runs `command[0]`, looked up on the PATH if it holds no slash, without standard input. The
/// program and all that it started are killed if take_line() returns false, or if it prints no
/// object for `patience` seconds. If it cannot be run, the exit code is 127 and the complaint says
/// why. Throws Error(resources) if no process can be created, Error(cancelled) if the progress asks
/// for it.
ProgramEnd run_program(const std::vector<std::string>& command, double patience,
                       const Progress& progress, const TakeLine& take_line);

}  // namespace skde::io
