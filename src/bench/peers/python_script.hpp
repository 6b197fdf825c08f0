#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/progress.hpp"
#include "io/bytes/child_process.hpp"
#include "io/bytes/scratch_file.hpp"

namespace skde::bench {

/// A Python interpreter, or why there is none.
struct Python {
  std::string path;
  std::string problem;  ///< empty if it can be used
};

/// Returns the first interpreter that can import the modules ("numpy, scipy.stats"): `named` or, if
/// that is empty, python3 and /usr/bin/python3. Throws Error(cancelled) if the user cancels.
Python find_python(const std::string& named, std::string_view modules, const Progress& progress);

/// Runs one of this program's scripts (embedded_scripts.hpp) in a folder that receives all of them.
/// If it prints nothing for `patience` seconds, it is ended with all processes that it started.
/// Throws Error(cancelled) if the user cancels.
io::ProgramEnd run_script(const std::string& python, const io::ScratchFolder& folder,
                          std::string_view script, const std::vector<std::string>& arguments,
                          double patience, const Progress& progress, const io::TakeLine& take_line);

}  // namespace skde::bench
