#pragma once

#include <string>
#include <vector>

#include "skde/program_run.hpp"

namespace skde::test {

/// Runs the built `skde-view` without a display, with a new folder for the recent view.
inline RunResult run_view(const std::vector<std::string>& arguments,
                          const RunSettings& settings = {}) {
  const TemporaryFolder home;
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  setenv("XDG_STATE_HOME", home.path("").c_str(), 1);
  return run_skde(arguments, settings);
}

}  // namespace skde::test
