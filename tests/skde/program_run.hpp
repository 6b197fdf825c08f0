#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/child_program.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Returns the words of a command line between its spaces.
Arguments words(std::string_view line);
/// The same, where a word that begins with '@' is the name of a file in the folder.
Arguments in(const TemporaryFolder& folder, std::string_view line);

/// Runs the built program SKDE_PROGRAM with these arguments; it is `skde`, except in tests of the
/// viewer.
RunResult run_skde(const Arguments& arguments, const RunSettings& settings = {});
inline RunResult run_skde(const TemporaryFolder& folder, std::string_view line,
                          const RunSettings& settings = {}) {
  return run_skde(in(folder, line), settings);
}

/// Checks the exit code, that standard output is empty, and that standard error is one line that
/// begins with the program's name and contains all fragments.
void check_failure(const RunResult& result, int exit_code,
                   std::initializer_list<std::string_view> fragments);
inline void check_refused(const TemporaryFolder& folder, std::string_view line, int exit_code,
                          std::initializer_list<std::string_view> fragments) {
  check_failure(run_skde(folder, line), exit_code, fragments);
}
/// Checks for exit code 0 and an empty standard error.
void check_success(const RunResult& result);

/// Returns the JSON summary of a run that must succeed; adds --json to the arguments.
nlohmann::json run_json(Arguments arguments, const RunSettings& settings = {});
inline nlohmann::json run_json(const TemporaryFolder& folder, std::string_view line) {
  return run_json(in(folder, line));
}

/// Returns rows "x y z" of `count` samples spread in all directions and shifted by `offset`.
std::string spread_rows(int count, double offset = 0);

}  // namespace skde::test
