#pragma once

#include <string>
#include <vector>

#include "skde/program_run.hpp"

namespace skde::test {

/// Runs the built `skde-view` without a display, with a new folder for the recent view.
inline RunResult run_view(const Arguments& arguments, const RunSettings& settings = {}) {
  const TemporaryFolder home;
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  setenv("XDG_STATE_HOME", home.path("").c_str(), 1);
  return run_skde(arguments, settings);
}
inline RunResult run_view(const TemporaryFolder& folder, std::string_view line,
                          const RunSettings& settings = {}) {
  return run_view(in(folder, line), settings);
}

}  // namespace skde::test
