#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/progress.hpp"
#include "io/bytes/child_process.hpp"
#include "io/bytes/scratch_folder.hpp"

namespace skde::bench {

/// An interpreter of Python, or why there is none.
struct Python {
  std::string path;
  std::string problem;  ///< empty where it can be used
};

/// The first interpreter that can import the modules ("numpy, scipy.stats"): `named`, or where that
/// is empty python3 and /usr/bin/python3. Throws Error(cancelled) where the progress says so.
Python find_python(const std::string& named, std::string_view modules, const Progress& progress);

/// Runs a script of this program (embedded_scripts.hpp) in a folder that takes all of them. It is
/// ended with all that it started where nothing comes for `patience` seconds. Throws
/// Error(cancelled) where the progress says so.
io::ProgramEnd run_script(const std::string& python, const io::ScratchFolder& folder,
                          std::string_view script, const std::vector<std::string>& arguments,
                          double patience, const Progress& progress, const io::TakeLine& take_line);

}  // namespace skde::bench
