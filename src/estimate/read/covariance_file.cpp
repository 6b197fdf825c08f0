#include "estimate/read/covariance_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <vector>

#include "core/report/error.hpp"

namespace skde {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, why),
              {"covariance", "give `covariance` a file of three rows of three numbers"});
}

std::vector<double> numbers_of(const std::string& path, std::string line, std::size_t number) {
  constexpr const char* kSeparators = " \t,;\r";
  if (const auto comment = line.find('#'); comment != line.npos) line.resize(comment);
  std::vector<double> values;
  auto at = line.find_first_not_of(kSeparators);
  while (at != line.npos) {
    const auto end = std::min(line.find_first_of(kSeparators, at), line.size());
    double value = 0;
    const auto [next, problem] = std::from_chars(line.data() + at, line.data() + end, value);
    if (problem != std::errc{} || next != line.data() + end || !std::isfinite(value))
      fail(path, fmt::format("line {}: '{}' is not a finite number", number,
                             line.substr(at, std::min<std::size_t>(end - at, 40))));
    values.push_back(value);
    at = line.find_first_not_of(kSeparators, end);
  }
  return values;
}

}  // namespace

Symmetric3 read_covariance(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(path, "cannot be opened");
  std::vector<std::vector<double>> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::vector<double> row = numbers_of(path, line, number);
    if (row.empty()) continue;
    if (row.size() != 3)
      fail(path, fmt::format("line {} must have 3 numbers; got {}", number, row.size()));
    if (rows.size() == 3) fail(path, fmt::format("line {} is a fourth row", number));
    rows.push_back(std::move(row));
  }
  if (rows.size() != 3) fail(path, fmt::format("must have 3 rows; got {}", rows.size()));
  const Symmetric3 s{rows[0][0], rows[0][1], rows[0][2], rows[1][1], rows[1][2], rows[2][2]};
  const auto differ = [&](double a, double b) {  // programs round the two when they print them
    return std::abs(a - b) > 1e-9 * s.trace();
  };
  if (!(s.xx > 0) || !(s.yy > 0) || !(s.zz > 0)) fail(path, "must have a diagonal above 0");
  if (differ(s.xy, rows[1][0]) || differ(s.xz, rows[2][0]) || differ(s.yz, rows[2][1]))
    fail(path, "must be symmetric");
  return s;
}

}  // namespace skde
