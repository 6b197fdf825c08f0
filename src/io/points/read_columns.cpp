#include "io/points/read_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "core/space/space.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestUnit = 16;

/// Units that may stand in a name without brackets; the first is too short to follow a name
/// directly.
constexpr std::array<std::string_view, 18> kBareUnits{"m",  "mm", "cm",  "km",  "um",     "µm",
                                                      "nm", "Å",  "ft",  "deg", "degree", "degrees",
                                                      "px", "pc", "kpc", "Mpc", "au",     "ly"};

/// Returns true if a text may be a unit and is no remark: short, one word, not a number.
bool is_unit(std::string_view text) {
  return !text.empty() && text.size() <= kLongestUnit && split_words(text).size() == 1 &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// Splits a name into the part before a bracketed unit at its end, and that unit.
std::pair<std::string_view, std::string_view> bracketed_unit(std::string_view name) {
  for (const auto& [open, close] : {std::pair{'(', ')'}, std::pair{'[', ']'}}) {
    if (!name.ends_with(close)) continue;
    const std::size_t begin = name.rfind(open);
    if (begin == name.npos || begin == 0) continue;
    const std::string_view unit = trimmed(name.substr(begin + 1, name.size() - begin - 2));
    if (is_unit(unit)) return {trimmed(name.substr(0, begin)), unit};
  }
  return {name, {}};
}

/// The unit after the last underscore or slash, as in X_m or Depth/km, or directly after a
/// coordinate, as in xnm. Only a few units are accepted, because other words may stand there too.
std::pair<std::string_view, std::string_view> appended_unit(std::string_view name) {
  for (const std::string_view unit : kBareUnits) {
    if (!name.ends_with(unit) || name.size() == unit.size()) continue;
    const std::string_view rest = name.substr(0, name.size() - unit.size());
    if ((rest.ends_with('_') || rest.ends_with('/')) && rest.size() > 1)
      return {rest.substr(0, rest.size() - 1), unit};
    if (unit != kBareUnits[0] && std::isalnum(static_cast<unsigned char>(rest.back())) != 0 &&
        is_coordinate_word(rest))
      return {rest, unit};
  }
  return {name, {}};
}

std::string shown(const ReadColumn& column) {
  return column.name.empty() ? fmt::format("column {}", column.number) : excerpt(column.name);
}

bool same_column(const ReadColumn& first, const ReadColumn& other) {
  if (first.name.empty() || other.name.empty()) return first.number == other.number;
  // Quantities may be those of the frame that the columns were converted to.
  const auto quantity = [](const ReadColumn& column) {
    return lower_case(named_column(column.name, 0).quantity);
  };
  return quantity(first) == quantity(other);
}

}  // namespace

std::vector<std::string> units_in(const std::vector<TextField>& fields) {
  std::vector<std::string> units;
  bool any = false;
  for (const TextField& field : fields) {
    std::string_view unit = field.text;
    const bool bracketed = (unit.starts_with('(') && unit.ends_with(')')) ||
                           (unit.starts_with('[') && unit.ends_with(']'));
    if (bracketed) unit = trimmed(unit.substr(1, unit.size() - 2));
    double value = 0;
    if (!unit.empty() && (!is_unit(unit) || parse_number(unit, value))) return {};
    any = any || bracketed || std::ranges::find(kBareUnits, unit) != kBareUnits.end();
    units.emplace_back(unit);
  }
  return any ? units : std::vector<std::string>();
}

ReadColumn named_column(std::string_view name, std::size_t number) {
  const std::string_view whole = trimmed(name);
  auto [quantity, units] = bracketed_unit(whole);
  if (units.empty()) std::tie(quantity, units) = appended_unit(whole);
  return {std::string(whole), number, std::string(quantity), std::string(units)};
}

std::string ReadColumns::units() const { return units_differ() ? "" : xyz[0].units; }

bool ReadColumns::units_differ() const {
  return xyz[0].units != xyz[1].units || xyz[0].units != xyz[2].units;
}

std::array<std::string, 3> ReadColumns::axis_names() const {
  std::array<std::string, 3> names;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ReadColumn& column = xyz[axis];
    const bool own_unit = units_differ() && !column.units.empty();
    names[axis] =
        own_unit ? fmt::format("{} ({})", column.quantity, column.units) : column.quantity;
  }
  return names;
}

std::string disagreement(const ReadColumns& first, const ReadColumns& other) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ReadColumn &one = first.xyz[axis], &two = other.xyz[axis];
    if (!same_column(one, two))
      return fmt::format("{} would be {}, but {} in the first file", kAxisNames[axis], shown(two),
                         shown(one));
    if (one.units != two.units && !one.units.empty() && !two.units.empty())
      return fmt::format("{} is in {}, but in {} in the first file", kAxisNames[axis],
                         excerpt(two.units), excerpt(one.units));
  }
  return "";
}

void add_remark(const std::string& more, std::string& remark) {
  if (!more.empty()) remark += (remark.empty() ? "" : "; ") + more;
}

CloudCounts& CloudCounts::operator+=(const CloudCounts& other) {
  rows += other.rows;
  non_finite += other.non_finite;
  zero_weight += other.zero_weight;
  zero_width += other.zero_width;
  left_out += other.left_out;
  comments += other.comments;
  return *this;
}

}  // namespace skde::io
