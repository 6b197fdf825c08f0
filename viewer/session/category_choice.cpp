#include "viewer/session/category_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include "cli/options/option_table.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/text/text_fields.hpp"
#include "viewer/work/live_comparison.hpp"

namespace skde::view {
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
