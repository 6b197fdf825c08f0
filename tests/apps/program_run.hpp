#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.hpp"

namespace skde::test {

struct RunSettings {
  std::string input{};                           ///< what standard input yields
  bool keep_input_open = false;                  ///< standard input yields nothing and never ends
  std::string output_file{};                     ///< where standard output goes, e.g. /dev/full
  bool error_to_terminal = false;                ///< standard error is a terminal of 80 columns
  std::optional<std::size_t> file_size_limit{};  ///< bytes that a file may have, as on a full disk
  std::optional<double> interrupt_after{};       ///< seconds until SIGINT
};

struct RunResult {
  int exit_code = -1;  ///< 128 + signal where one ended it
  std::string out, err;
  double seconds = 0;            ///< of the whole run
  bool was_interrupted = false;  ///< the signal was sent while it ran
};

/// False where the machine has no pseudo-terminals, as in a bare container.
bool has_terminals();

/// Runs the built program SKDE_PROGRAM, `skde` but for the tests of the viewer, with these
/// arguments.
RunResult run_skde(const std::vector<std::string>& arguments, const RunSettings& settings = {});

/// Catch2 checks: the exit code, nothing on standard output, and one line on standard error that
/// begins with the program's name and holds all the fragments.
void check_failure(const RunResult& result, int exit_code,
                   std::initializer_list<std::string_view> fragments);
/// Catch2 checks: exit code 0 and nothing on standard error.
void check_success(const RunResult& result);

/// The JSON summary of a run that must succeed; adds --json to the arguments.
nlohmann::json run_json(std::vector<std::string> arguments, const RunSettings& settings = {});

/// Rows "x y z" of `count` samples spread in all directions; `offset` moves them.
std::string spread_rows(int count, double offset = 0);

}  // namespace skde::test
