#include "io/points/columns/column_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostColumnsListed = 40;

/// Advice for an error about a missing column.
std::string what_there_is(std::string_view typed, const FileColumns& columns) {
  std::vector<std::string_view> names;
  for (const std::string& name : columns.names)
    if (!name.empty() && names.size() < kMostColumnsListed) names.push_back(name);
  const std::string numbers = fmt::format("numbers 1 to {} work too", columns.names.size());
  if (names.empty())
    return fmt::format("its columns have no names; use numbers 1 to {}", columns.names.size());
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
              {parameter, columns.remedy.empty() ? what_there_is(typed, columns) : columns.remedy});
}

std::size_t find_width(const std::string& wanted, const FileColumns& columns) {
  if (wanted != kUsualWidth) return find_column(wanted, columns, "widths");
  for (const SmoothingLengths& usual : kSmoothingLengths)
    if (const auto found = by_name(usual.name, columns.names)) return *found;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: none of its columns has a name of smoothing lengths ({}, {}, {}, {})",
                  columns.file, kSmoothingLengths[0].name, kSmoothingLengths[1].name,
                  kSmoothingLengths[2].name, kSmoothingLengths[3].name),
      {"widths", what_there_is(kSmoothingLengths[0].name, columns)});
}

/// The quoted names, as many as fit on a line.
std::string listed_columns(const std::vector<std::string>& names) {
  std::string list;
  std::size_t left = kMostColumnsListed;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (left-- == 0) return list.append(", ...");
    list.append(list.empty() ? "" : ", ").append(excerpt(name));
  }
  return list;
}

/// Lines at the start of a text file may be mistaken for names or rows.
std::string or_skip(const FileColumns& columns) {
  return columns.judged_on.empty() ? "" : ", or skip the lines before them with `skip=N`";
}

/// Error for columns that have names, but not those of coordinates: taking any three would be a
/// guess.
Error no_coordinates(const FileColumns& columns, const std::string& doubt, bool of_sky = false) {
  const std::string problem =
      doubt.empty() ? "no columns are named x, y and z or a known alternative" : doubt;
  std::string mended = columns.remedy;
  if (mended.empty() && degrees_among(columns.names, !of_sky).xyz)
    mended = of_sky ? "use `geographic=earth`" : "use `geographic=sky`";
  if (mended.empty()) mended = "name three with `columns=X,Y,Z`" + or_skip(columns);
  return Error(
      ErrorKind::input,
      fmt::format("{}: {}; it has {}", columns.file, problem, listed_columns(columns.names)),
      {"columns", std::move(mended)});
}

std::array<std::size_t, 3> first_three(const FileColumns& columns) {
  std::array<std::size_t, 3> first{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < columns.names.size() && found < 3; ++i)
    if (columns.numeric[i]) first[found++] = i;
  if (found < 3)
    throw Error(
        ErrorKind::input,
        fmt::format("{}{}: {} of its {} columns hold numbers, but a cloud needs x, y and z",
                    columns.file, columns.judged_on.empty() ? "" : ": " + columns.judged_on, found,
                    columns.names.size()),
        {"columns", columns.remedy.empty()
                        ? "check the file, or name three columns with `columns`" + or_skip(columns)
                        : columns.remedy});
  return first;
}

bool have_names(const FileColumns& columns) {
  if (columns.from_comment) return std::ranges::any_of(columns.names, is_coordinate_name);
  return std::ranges::any_of(columns.names, [](const auto& name) { return !name.empty(); });
}

std::array<std::size_t, 3> default_coordinates(const FileColumns& columns,
                                               const Geographic& geographic) {
  if (geographic.wanted()) {
    const bool of_sky = geographic.frame == GeographicFrame::sky;
    const NamedCoordinates named = degrees_among(columns.names, of_sky);
    if (named.xyz) return *named.xyz;
    if (!have_names(columns)) return first_three(columns);
    throw no_coordinates(
        columns,
        !named.doubt.empty() ? named.doubt
        : of_sky             ? "no columns are named ra, dec and distance or a known alternative"
                 : "no columns are named longitude, latitude and depth, elevation or radius",
        of_sky);
  }
  const NamedCoordinates named = coordinates_among(columns.names);
  if (named.xyz) return *named.xyz;
  if (have_names(columns) || !named.doubt.empty()) throw no_coordinates(columns, named.doubt);
  return first_three(columns);
}

std::array<std::size_t, 3> named_coordinates(const std::vector<std::string>& wanted,
                                             const FileColumns& columns) {
  if (wanted.size() != 3)
    throw Error(ErrorKind::usage,
                fmt::format("x, y and z need three names or numbers; got {}", wanted.size()),
                {"columns", {}});
  if (std::ranges::count(wanted, kAnyColumn) == 3) return first_three(columns);
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

/// Finds a column of the condition.
std::size_t find_compared(const RowCondition::Column& wanted, const SelectedColumns& selected,
                          const FileColumns& columns) {
  const ErrorAdvice compare_numbers{"where", "compare it with a number, without quotes"};
  if (wanted.holds_texts && !columns.hold_texts)
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} holds numbers, but is compared with the text {}", columns.file,
                            excerpt(wanted.name), excerpt(wanted.texts.front())),
                compare_numbers);
  std::string low = lower_case(wanted.name);
  std::erase(low, '_');
  if (wanted.holds_dates && low == "gpstime")
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} holds seconds of GPS time, but is compared with a date",
                            columns.file, excerpt(wanted.name)),
                {"where", "compare it with a number of these seconds"});
  if (const auto found = by_name(wanted.name, columns.names)) return *found;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (low == std::string(1, kAxisNames[axis])) return selected.xyz[axis];
  if (const auto found = by_number(wanted.name, columns.names.size())) return *found;
  throw Error(ErrorKind::usage,
              fmt::format("{}: character {} of the condition: there is no column {}", columns.file,
                          wanted.position, excerpt(wanted.name)),
              {"where", what_there_is(wanted.name, columns) +
                            fmt::format("; put a text in quotes: '{}'", wanted.name)});
}

void add_compared(const ColumnSelection& wanted, const FileColumns& columns,
                  SelectedColumns& selected) {
  if (wanted.where.empty()) return;
  selected.compared = RowCondition(wanted.where).columns();
  for (const RowCondition::Column& column : selected.compared)
    selected.widths.push_back(find_compared(column, selected, columns));
}

ReadColumn described_column(const FileColumns& columns, std::size_t index) {
  ReadColumn column = named_column(columns.names[index], index + 1);
  if (index < columns.units.size() && !columns.units[index].empty()) {
    column.quantity = column.name;
    column.units = columns.units[index];
  }
  return column;
}

ReadColumns described(const FileColumns& columns, const SelectedColumns& selected) {
  ReadColumns result;
  std::vector<bool> is_read(columns.names.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.xyz[axis] = described_column(columns, selected.xyz[axis]);
    is_read[selected.xyz[axis]] = true;
  }
  if (selected.weight) {
    result.weight = described_column(columns, *selected.weight);
    is_read[*selected.weight] = true;
  }
  for (const std::size_t column : selected.widths) {
    result.widths.push_back(described_column(columns, column));
    is_read[column] = true;
  }
  if (selected.category) {
    result.category = described_column(columns, *selected.category);
    is_read[*selected.category] = true;
  }
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (is_read[i]) continue;
    const std::string& name = columns.names[i];
    if (!name.empty()) result.others.push_back(name);
    if (!columns.numeric[i])
      result.left_out.push_back(name.empty() ? fmt::format("column {}", i + 1) : name);
  }
  result.left_out.insert(result.left_out.end(), columns.left_out.begin(), columns.left_out.end());
  return result;
}

/// Adds all numeric columns that are not selected yet.
void add_others(const FileColumns& columns, SelectedColumns& selected) {
  std::vector<bool> is_read(columns.names.size());
  for (const std::size_t column : selected.read()) is_read[column] = true;
  for (std::size_t i = 0; i < is_read.size(); ++i)
    if (!is_read[i] && columns.numeric[i]) selected.widths.push_back(i);
}

void describe_mixture(const ColumnSelection& wanted, ReadColumns& described) {
  described.gaussians = "mixtures";
  described.remark =
      fmt::format("widths {}: a mixture of Gaussians{}", wanted.widths_assumed ? "assumed" : "read",
                  wanted.widening == Symmetric3{} ? "" : " with another kernel");
}

}  // namespace

bool ColumnSelection::weighted() const { return !weight.empty() || are_gaussians(widths); }

std::vector<std::size_t> SelectedColumns::read() const {
  std::vector<std::size_t> columns(xyz.begin(), xyz.end());
  if (weight) columns.push_back(*weight);
  columns.insert(columns.end(), widths.begin(), widths.end());
  return columns;
}

SelectedColumns SelectedColumns::among(const std::vector<std::size_t>& numbers) const {
  SelectedColumns result = *this;
  for (std::size_t& column : result.xyz) column = numbers[column];
  if (weight) result.weight = numbers[*weight];
  for (std::size_t& column : result.widths) column = numbers[column];
  if (category) result.category = numbers[*category];
  return result;
}

SelectedColumns select_columns(const ColumnSelection& wanted, const FileColumns& columns) {
  // Names from a comment are ignored if no name was asked for and none is a usual coordinate name.
  if (columns.from_comment && wanted.coordinates.empty() && wanted.weight.empty() &&
      wanted.widths.empty() && !wanted.categorised() && wanted.where.empty() &&
      std::ranges::none_of(columns.names, is_coordinate_name)) {
    FileColumns nameless = columns;
    nameless.names.assign(columns.names.size(), "");
    nameless.from_comment = false;
    return select_columns(wanted, nameless);
  }
  SelectedColumns selected;
  selected.xyz = wanted.coordinates.empty() ? default_coordinates(columns, wanted.geographic)
                                            : named_coordinates(wanted.coordinates, columns);
  if (!wanted.weight.empty())
    selected.weight = find_column(wanted.weight, columns, "weights");
  else if (are_gaussians(wanted.widths))
    selected.weight = find_column(gaussian_weight(wanted.widths, columns.names), columns, "widths");
  for (const std::string& name : width_columns(wanted.widths, columns.names))
    selected.widths.push_back(find_width(name, columns));
  for (const std::string& name : wanted.others)
    selected.widths.push_back(find_column(name, columns, "value"));
  if (wanted.all_others) add_others(columns, selected);
  selected.keeps_lines = wanted.keeps_lines && columns.hold_texts;
  if (wanted.categorised())
    selected.category =
        find_column(wanted.groups(), columns, wanted.category.empty() ? "equal_by" : "by");
  selected.described = described(columns, selected);
  describe_widths(wanted, selected.described);
  if (const auto& [first, second, third] = selected.described.xyz;
      !wanted.geographic.wanted() && are_degrees(first.name, second.name))
    selected.described.remark =
        "degrees are not lengths and wrap around; convert them with `geographic`";
  add_compared(wanted, columns, selected);
  if (is_splat(wanted.widths)) selected.described.gaussians = "splats";
  if (is_mixture(wanted.widths)) describe_mixture(wanted, selected.described);
  if (selected.category) selected.widths.push_back(*selected.category);
  add_remark(columns.remark, selected.described.remark);
  return selected;
}

}  // namespace skde::io
