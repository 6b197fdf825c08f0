#include "io/points/column_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostListed = 40;

/// What an error about a column that is not there suggests.
std::string what_there_is(std::string_view typed, const FileColumns& columns) {
  std::vector<std::string_view> names;
  for (const std::string& name : columns.names)
    if (!name.empty() && names.size() < kMostListed) names.push_back(name);
  const std::string numbers = fmt::format("numbers 1 to {} serve too", columns.names.size());
  if (names.empty())
    return fmt::format("its columns have no names, only numbers 1 to {}", columns.names.size());
  return fmt::format("{}; {}", did_you_mean(typed, names), numbers);
}

std::optional<std::size_t> by_name(std::string_view typed, const std::vector<std::string>& names) {
  const auto exact = std::ranges::find(names, typed);
  if (exact != names.end()) return static_cast<std::size_t>(exact - names.begin());
  const std::string low = lower_case(typed);
  const auto any_case = std::ranges::find_if(
      names, [&](const std::string& name) { return !name.empty() && lower_case(name) == low; });
  if (any_case != names.end()) return static_cast<std::size_t>(any_case - names.begin());
  return std::nullopt;
}

std::optional<std::size_t> by_number(std::string_view typed, std::size_t count) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  if (error != std::errc{} || end != typed.data() + typed.size()) return std::nullopt;
  if (number < 1 || number > count) return std::nullopt;
  return number - 1;
}

std::size_t find_column(const std::string& typed, const FileColumns& columns,
                        const char* parameter) {
  if (!typed.empty()) {
    if (const auto found = by_name(typed, columns.names)) return *found;
    if (const auto found = by_number(typed, columns.names.size())) return *found;
  }
  throw Error(ErrorKind::usage,
              fmt::format("{}: there is no column {}", columns.file, excerpt(typed)),
              {parameter, what_there_is(typed, columns)});
}

std::array<std::size_t, 3> default_coordinates(const FileColumns& columns) {
  const auto x = by_name("x", columns.names);
  const auto y = by_name("y", columns.names);
  const auto z = by_name("z", columns.names);
  if (x && y && z) return {*x, *y, *z};
  std::array<std::size_t, 3> first{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < columns.names.size() && found < 3; ++i)
    if (columns.numeric[i]) first[found++] = i;
  if (found < 3)
    throw Error(ErrorKind::input,
                fmt::format("{}{}: {} of its {} columns hold numbers, but a cloud needs x, y and z",
                            columns.file, columns.judged_on.empty() ? "" : ": " + columns.judged_on,
                            found, columns.names.size()),
                {"columns", "check the file or name three with `columns`"});
  return first;
}

std::array<std::size_t, 3> named_coordinates(const std::vector<std::string>& wanted,
                                             const FileColumns& columns) {
  if (wanted.size() != 3)
    throw Error(ErrorKind::usage,
                fmt::format("three names or numbers are due for x, y and z, not {}", wanted.size()),
                {"columns", {}});
  std::array<std::size_t, 3> found{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    found[axis] = find_column(wanted[axis], columns, "columns");
    if (std::find(found.begin(), found.begin() + axis, found[axis]) != found.begin() + axis)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: column {} is named twice; x, y and z need three columns",
                              columns.file, excerpt(wanted[axis])),
                  {"columns", {}});
  }
  return found;
}

}  // namespace

SelectedColumns select_columns(const ColumnSelection& wanted, const FileColumns& columns) {
  SelectedColumns selected;
  selected.xyz = wanted.coordinates.empty() ? default_coordinates(columns)
                                            : named_coordinates(wanted.coordinates, columns);
  if (!wanted.weight.empty()) selected.weight = find_column(wanted.weight, columns, "weights");
  return selected;
}

}  // namespace skde::io
