#include "viewer/session/column_choice.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <utility>

#include "cli/options/option_table.hpp"
#include "core/report/error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/points/point_table.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/volume_formats.hpp"
#include "viewer/work/live_answers.hpp"

namespace skde::view {
namespace {

constexpr std::size_t kRowsShown = 8;

/// Returns the columns of numbers, in the order of the file and of the table.
std::vector<io::ReadColumn> columns_of(const io::PointTable& table) {
  std::vector<io::ReadColumn> columns(table.columns.xyz.begin(), table.columns.xyz.end());
  columns.insert(columns.end(), table.columns.widths.begin(), table.columns.widths.end());
  std::ranges::sort(columns, {}, &io::ReadColumn::number);
  return columns;
}

/// Returns what names a column in a selection: its name if no other has it.
std::string word_for(const std::vector<io::ReadColumn>& columns, const io::ReadColumn& column) {
  const bool plain = !column.name.empty() && column.name.find(',') == column.name.npos &&
                     std::ranges::count(columns, column.name, &io::ReadColumn::name) == 1;
  return plain ? column.name : fmt::format("{}", column.number);
}

std::optional<std::size_t> place_of(const std::vector<std::string>& words,
                                    const std::string& wanted) {
  const auto found = std::ranges::find(words, wanted);
  if (wanted.empty() || found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

/// Takes the columns that a selection names, or else those with usual names.
void begin_with(const io::ColumnSelection& columns, const std::vector<io::ReadColumn>& read,
                ColumnChoice& choice) {
  std::vector<std::string> names;
  for (const io::ReadColumn& column : read) names.push_back(column.name);
  io::NamedCoordinates usual = io::coordinates_among(names);
  if (!usual.xyz) usual = io::degrees_among(names, false);
  if (usual.xyz) choice.xyz = *usual.xyz;
  for (std::size_t axis = 0; axis < 3 && columns.coordinates.size() == 3; ++axis)
    if (const auto found = place_of(choice.words, columns.coordinates[axis]))
      choice.xyz[axis] = *found;
  choice.weight = place_of(choice.words, columns.weight);
  if (columns.widths.size() == 1) choice.width = place_of(choice.words, columns.widths[0]);
}

}  // namespace

bool ColumnChoice::is_complete() const {
  return xyz[0] != xyz[1] && xyz[1] != xyz[2] && xyz[0] != xyz[2];
}

void ColumnChoice::apply(io::ColumnSelection& columns) const {
  columns.coordinates = {words.at(xyz[0]), words.at(xyz[1]), words.at(xyz[2])};
  columns.weight = weight ? words.at(*weight) : "";
  columns.widths.clear();
  if (width) columns.widths.push_back(words.at(*width));
  columns.widths_assumed = false;
}

std::optional<ColumnChoice> column_choice(const std::vector<std::string>& paths,
                                          const io::ColumnSelection& columns,
                                          const io::OpenFiles& files) {
  if (paths.empty() || io::is_read_once(paths[0])) return std::nullopt;
  if (!io::first_volume(paths, files).empty()) return std::nullopt;
  io::ColumnSelection look;
  look.coordinates.assign(3, std::string(io::kAnyColumn));
  look.skip = columns.skip;
  look.part = columns.part;
  NoProgress silent;
  io::PointTable table;
  try {
    table = io::read_point_table(paths[0], look, silent, files, {.rows = kRowsShown});
  } catch (const Error&) {
    return std::nullopt;  // the error that asked for the choice says what is wrong
  }
  const std::vector<io::ReadColumn> read = columns_of(table);
  if (table.rows() == 0 || read.size() != table.names.size()) return std::nullopt;
  ColumnChoice choice;
  choice.file = paths[0];
  choice.names = std::move(table.names);
  for (const io::ReadColumn& column : read) choice.words.push_back(word_for(read, column));
  for (std::size_t row = 0; row < table.values.size() / read.size(); ++row) {
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(row * read.size());
    choice.rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(read.size()));
  }
  begin_with(columns, read, choice);
  return choice;
}

namespace {

/// Returns a condition that a column holds a category: a number, or a text in quotes.
std::string holds_category(const std::string& column, const std::string& category) {
  double number = 0;
  const char* const end = category.data() + category.size();
  const auto [read, problem] = std::from_chars(category.data(), end, number);
  const bool is_number = problem == std::errc() && read == end;
  const char quote = category.find('\'') == category.npos ? '\'' : '"';
  return is_number ? fmt::format("`{}` == {}", column, category)
                   : fmt::format("`{}` == {}{}{}", column, quote, category, quote);
}

/// Counts the rows of each category of a column.
io::CategoryNames categories_of(CloudFiles files, const std::string& column) {
  constexpr std::size_t kRowsAtOnce = 65536, kMost = 100000;
  files.columns.category = column;
  files.columns.most_categories = kMost;
  files.columns.others.clear();
  io::CloudStream stream(files.paths, files.columns, files.non_finite);
  Samples chunk;
  NoProgress silent;
  while (stream.read(chunk, kRowsAtOnce, silent)) {
  }
  return stream.categories();
}

/// Throws Error(usage) if no row has the category, and names those that there are.
void require_category(const io::CategoryNames& names, const std::string& column,
                      const std::string& category) {
  double wanted = 0, number = 0;
  const bool is_number = io::parse_number(category, wanted);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names.name(i) == category ||
        (is_number && io::parse_number(names.name(i), number) && number == wanted))
      return;
  cli::usage_error(fmt::format("--compare by={}: no row has '{}'; the most common values are {}",
                               column, category, names.commonest()));
}

/// Takes "COLUMN:A,B".
void take_categories(const std::string& text, ViewState& state) {
  const std::size_t colon = text.find(':'), comma = text.find(',', colon);
  if (colon == 0 || comma == text.npos || comma == colon + 1 || comma + 1 == text.size())
    cli::usage_error(fmt::format(
        "by= needs a column and two of its categories, such as by=species:oak,pine; got '{}'",
        text));
  CategoryChoice choice{text.substr(0, colon), text.substr(colon + 1, comma - colon - 1),
                        text.substr(comma + 1)};
  if (!state.cloud.paths.empty() && io::first_read_once(state.cloud.paths).empty()) {
    const io::CategoryNames names = categories_of(state.cloud, choice.column);
    for (const std::string* const category : {&choice.a, &choice.b})
      require_category(names, choice.column, *category);
  }
  choice.before = state.cloud.columns.where;
  compare_categories(choice, state);
}

}  // namespace

void take_comparison(const std::string& text, ViewState& state) {
  if (text.starts_with("by=")) return take_categories(text.substr(3), state);
  CompareState compare{text, state.compare.as};
  if (!text.empty()) check_comparison(compare);
  state.compare = std::move(compare);
}

void choose_categories(const std::string& column, CategoryChoice& choice, ViewState& state) {
  constexpr std::size_t kMostValues = 30;
  CloudFiles files = state.cloud;
  if (files.columns.where == choice.now) files.columns.where = choice.before;
  if (const std::string once = io::first_read_once(files.paths); !once.empty())
    cli::usage_error(fmt::format("{}: is read only once; save it to a file, and open that", once));
  const io::CategoryNames names = categories_of(files, column);
  if (names.size() < 2)
    cli::usage_error(
        fmt::format("{}: all rows have the same value; choose another column", column));
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return names.rows(i); });
  order.resize(std::min(order.size(), kMostValues));
  choice = {column, names.name(order[0]), names.name(order[1]), {}, files.columns.where};
  for (const std::size_t i : order) choice.values.push_back(names.name(i));
  compare_categories(choice, state);
}

void compare_categories(CategoryChoice& choice, ViewState& state) {
  const auto condition = [&](const std::string& category) {
    return io::both_conditions(choice.before, holds_category(choice.column, category));
  };
  state.compare.with = "where=" + condition(choice.b);
  choice.now = state.cloud.columns.where = condition(choice.a);
}

}  // namespace skde::view
