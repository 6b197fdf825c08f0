#include "io/points/read_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "core/space.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestUnit = 16;

/// Returns true if a bracketed text is a unit and not a remark: short, one word, not a number.
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

/// The unit after the last underscore, as in X_m. Only a few units are accepted, because other
/// words may stand there too.
std::pair<std::string_view, std::string_view> appended_unit(std::string_view name) {
  constexpr std::array<std::string_view, 10> kUnits{"m",  "mm", "cm",  "km",      "um",
                                                    "nm", "ft", "deg", "degrees", "px"};
  const std::size_t underscore = name.rfind('_');
  if (underscore == name.npos || underscore == 0) return {name, {}};
  const std::string_view unit = name.substr(underscore + 1);
  if (std::ranges::find(kUnits, unit) == kUnits.end()) return {name, {}};
  return {name.substr(0, underscore), unit};
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

CloudCounts& CloudCounts::operator+=(const CloudCounts& other) {
  rows += other.rows;
  non_finite += other.non_finite;
  zero_weight += other.zero_weight;
  zero_width += other.zero_width;
  left_out += other.left_out;
  return *this;
}

}  // namespace skde::io
