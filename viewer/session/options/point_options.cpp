#include "viewer/session/options/topic_options.hpp"

#include <algorithm>

#include "cli/exit_code.hpp"
#include "io/points/columns/row_condition.hpp"
#include "viewer/layers/samples/shown_points.hpp"

namespace skde::view {
namespace {

/// Takes what colours or sizes tell: a word, or the name of a column.
void parse_told(const std::string& given, PointColors& told, std::string& column) {
  const auto* const word =
      std::ranges::find(kPointColors, given, &std::pair<std::string_view, PointColors>::first);
  column.clear();
  told = PointColors::column;
  if (word != kPointColors.end() && word->second != PointColors::column)
    told = word->second;
  else
    column = given;
}

std::string parse_condition(const std::string& given) {
  try {
    if (!given.empty()) io::RowCondition{given};  // says what is wrong with it
  } catch (const Error& error) {
    throw error.renaming("where", "points_where");
  }
  return given;
}

double parse_point_size(const std::string& given) {
  const double size = RealNumber(0)(given);
  if (size < kLeastPointSize || size > kMostPointSize)
    cli::usage_error("must be from 0.05 to 50; got '" + given + "'");
  return size;
}

}  // namespace

void add_point_flags(cli::OptionTable& table, ViewState& state) {
  PointLook& look = state.point_look;
  table.flag({.name = "points", .help = "shows the samples over the volume"}, state.show_points);
  table.apply({.name = "points-color",
               .value = "plain|density|weight|COLUMN",
               .help = "shows the samples, coloured by the density where they are, by their "
                       "weights, or by a column of numbers or texts",
               .by_default = "plain"},
              [&look](const std::string& given) { parse_told(given, look.colors, look.column); });
  table.value({.name = "points-size",
               .value = "S",
               .help = "shows the samples this many times as large",
               .by_default = "1"},
              look.size, parse_point_size);
  table.apply(
      {.name = "points-size-by",
       .value = "plain|density|weight|COLUMN",
       .help = "shows the samples from half to three times as large, by the density where "
               "they are, by their weights, or by a column of numbers",
       .by_default = "plain"},
      [&look](const std::string& given) { parse_told(given, look.sizes, look.size_column); });
  table.value(
      {.name = "points-where",
       .value = "CONDITION",
       .help = "shows only samples whose rows fulfil a condition on columns, as --where has "
               "it: 'mag >= 5 && stations < 40'; the density is that of all"},
      look.where, parse_condition);
}

void take_points(const cli::ParsedFlags& flags, ViewState& state) {
  for (const char* const name : kPointFlags)
    if (flags.has(name)) state.show_points = true;
}

}  // namespace skde::view
