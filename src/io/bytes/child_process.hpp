#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/progress.hpp"

namespace skde::io {

/// How a program ended.
struct ProgramEnd {
  int code = 0;           ///< exit code, or 128 and the signal that ended it
  bool late = false;      ///< it said nothing for too long, and was ended
  std::string complaint;  ///< the last line that it wrote besides objects of JSON
};

/// Takes a line with an object of JSON; false where the program is to be ended.
using TakeLine = std::function<bool(const std::string& line)>;

/// Runs `command[0]`, looked up on the PATH where it holds no slash, without standard input. It is
/// ended with all that it started where take_line() says so, and where it prints no object for
/// `patience` seconds. One that cannot be run ends with 127 and that complaint. Throws
/// Error(resources) where no process can be made, Error(cancelled) where the progress says so.
ProgramEnd run_program(const std::vector<std::string>& command, double patience,
                       const Progress& progress, const TakeLine& take_line);

}  // namespace skde::io
