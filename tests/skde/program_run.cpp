#include "skde/program_run.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

namespace skde::test {

Arguments words(std::string_view line) {
  std::istringstream text{std::string(line)};
  return {std::istream_iterator<std::string>(text), {}};
}

Arguments in(const TemporaryFolder& folder, std::string_view line) {
  Arguments found = words(line);
  for (std::string& word : found)
    if (word.starts_with('@')) word = folder.path(word.substr(1));
  return found;
}

RunResult run_skde(const Arguments& arguments, const RunSettings& settings) {
  return run_child(SKDE_PROGRAM, arguments, settings);
}

void check_failure(const RunResult& result, int exit_code,
                   std::initializer_list<std::string_view> fragments) {
  INFO("standard error: " << result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  CHECK(result.err.starts_with(std::filesystem::path(SKDE_PROGRAM).filename().string() + ": "));
  CHECK(std::ranges::count(result.err, '\n') == 1);
  for (const std::string_view fragment : fragments) {
    INFO("looking for: " << fragment);
    CHECK(result.err.find(fragment) != std::string::npos);
  }
}

void check_success(const RunResult& result) {
  INFO("standard error: " << result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
}

nlohmann::json run_json(Arguments arguments, const RunSettings& settings) {
  arguments.emplace_back("--json");
  const RunResult result = run_skde(arguments, settings);
  check_success(result);
  return nlohmann::json::parse(result.out);
}

std::string spread_rows(int count, double offset) {
  std::ostringstream rows;
  for (int i = 0; i < count; ++i)
    rows << offset + std::sin(1.0 * i) << ' ' << offset + 2 * std::cos(1.7 * i) << ' '
         << offset + 3 * std::sin(2.3 * i + 1) << '\n';
  return rows.str();
}

}  // namespace skde::test
