#include "viewer/session/options/point_options.hpp"

#include <algorithm>

#include "cli/exit_code.hpp"
#include "io/points/columns/row_condition.hpp"
#include "viewer/work/shown_points.hpp"

namespace skde::view {
namespace {

constexpr double kLeastSize = 0.05, kMostSize = 50;

void parse_color(const std::string& given, PointLook& look) {
  const auto* const word =
      std::ranges::find(kPointColors, given, &std::pair<std::string_view, PointColors>::first);
  look.column.clear();
  look.colors = PointColors::column;
  if (word != kPointColors.end() && word->second != PointColors::column)
    look.colors = word->second;
  else
    look.column = given;
}

std::string parse_condition(const std::string& given) {
  try {
    if (!given.empty()) io::RowCondition{given};  // says what is wrong with it
  } catch (const Error& error) {
    throw_about_points(error);
  }
  return given;
}

double parse_point_size(const std::string& given) {
  const double size = RealNumber(0)(given);
  if (size < kLeastSize || size > kMostSize)
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
                       "weights, or by a column of numbers",
               .by_default = "plain"},
              [&look](const std::string& given) { parse_color(given, look); });
  table.value({.name = "points-size",
               .value = "S",
               .help = "shows the samples this many times as large",
               .by_default = "1"},
              look.size, parse_point_size);
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

nlohmann::ordered_json point_look_json(const PointLook& look) {
  return {{"colors", word_of(kPointColors, look.colors)},
          {"column", look.column},
          {"size", look.size},
          {"where", look.where}};
}

PointLook point_look_from(io::JsonObject object) {
  PointLook look;
  object.read_word("colors", look.colors, kPointColors);
  object.read("column", look.column);
  object.read("size", look.size, kLeastSize, kMostSize);
  object.read("where", look.where);
  if (look.colors == PointColors::column && look.column.empty())
    object.fail("column", "must name a column");
  object.finish();
  return look;
}

}  // namespace skde::view
