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
