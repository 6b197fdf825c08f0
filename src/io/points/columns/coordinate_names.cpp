#include "io/points/columns/coordinate_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "core/space.hpp"
#include "io/points/read_columns.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

/// Names for x, y and z that belong together; the alternatives for an axis are separated by blanks.
using CoordinateSet = std::array<std::string_view, 3>;

constexpr std::string_view kHeights = "depth elevation altitude height z elev alt";
constexpr std::string_view kLongitudes = "longitude long lon lng", kLatitudes = "latitude lat";

constexpr CoordinateSet kEarthSet{kLongitudes, kLatitudes,
                                  "depth elevation altitude height z elev alt dep radius r"};
constexpr CoordinateSet kSkySet{"ra right_ascension raj2000", "dec declination dej2000 decl de",
                                "distance dist d r radius"};

// Tried in this order; the first set with all three axes is taken.
constexpr std::array<CoordinateSet, 9> kSets{{
    {"x", "y", "z"},
    {"points_0", "points_1", "points_2"},
    {"position_x pos_x x_position x_pos", "position_y pos_y y_position y_pos",
     "position_z pos_z z_position z_pos"},
    {"position:0 positions:0 pos:0 xyz:0 coordinates:0 points:0",
     "position:1 positions:1 pos:1 xyz:1 coordinates:1 points:1",
     "position:2 positions:2 pos:2 xyz:2 coordinates:2 points:2"},
    {"coord_x x_coord", "coord_y y_coord", "coord_z z_coord"},
    {"center_x centre_x centroid_x", "center_y centre_y centroid_y",
     "center_z centre_z centroid_z"},
    {kLongitudes, kLatitudes, kHeights},
    {"easting east", "northing north", kHeights},
    {"x", "y", kHeights},
}};

bool is_among(std::string_view words, std::string_view word) {
  const auto all = split_words(words);
  return std::ranges::find(all, word) != all.end();
}

/// Columns that may be this axis of a set; only one if exactly one is spelled just like it.
std::vector<std::size_t> matches(std::string_view words, const std::vector<std::string>& names,
                                 const std::vector<std::string>& quantities) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!quantities[i].empty() && is_among(words, quantities[i])) found.push_back(i);
  const auto exact = [&](std::size_t i) { return names[i] == words; };
  if (std::ranges::count_if(found, exact) == 1) return {*std::ranges::find_if(found, exact)};
  return found;
}

NamedCoordinates coordinates_of(std::span<const CoordinateSet> sets,
                                const std::vector<std::string>& names) {
  std::vector<std::string> quantities;
  quantities.reserve(names.size());
  for (const std::string& name : names)
    quantities.push_back(lower_case(named_column(name, 0).quantity));
  for (const CoordinateSet& set : sets) {
    std::array<std::size_t, 3> xyz{};
    std::string doubt;
    bool whole = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto found = matches(set[axis], names, quantities);
      whole = whole && !found.empty();
      if (!found.empty()) xyz[axis] = found[0];
      if (found.size() > 1 && doubt.empty())
        doubt = fmt::format("{} and {} may both be {}", excerpt(names[found[0]]),
                            excerpt(names[found[1]]), kAxisNames[axis]);
    }
    if (!whole) continue;
    if (doubt.empty()) return {xyz, {}};
    return {{}, doubt};
  }
  return {};
}

}  // namespace

NamedCoordinates coordinates_among(const std::vector<std::string>& names) {
  return coordinates_of(kSets, names);
}

NamedCoordinates degrees_among(const std::vector<std::string>& names, bool of_sky) {
  return coordinates_of({of_sky ? &kSkySet : &kEarthSet, 1}, names);
}

bool are_degrees(std::string_view first, std::string_view second) {
  const std::string one = lower_case(named_column(first, 0).quantity);
  const std::string other = lower_case(named_column(second, 0).quantity);
  return std::ranges::any_of(std::array{kEarthSet, kSkySet}, [&](const CoordinateSet& set) {
    return is_among(set[0], one) && is_among(set[1], other);
  });
}

bool is_coordinate_name(std::string_view name) {
  const std::string quantity = lower_case(named_column(name, 0).quantity);
  return std::ranges::any_of(kSets, [&](const CoordinateSet& set) {
    return std::ranges::any_of(set,
                               [&](std::string_view words) { return is_among(words, quantity); });
  });
}

}  // namespace skde::io
