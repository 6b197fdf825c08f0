#include "io/points/columns/coordinate_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "core/space/space.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// Names for x, y and z that belong together, in letters and digits alone; the alternatives for an
/// axis are separated by blanks.
using CoordinateSet = std::array<std::string_view, 3>;

constexpr std::string_view kHeights =
    "depth dep elevation altitude height z elev alt heightaboveellipsoid heightabovemsl";
constexpr std::string_view kLongitudes =
    "longitude long lon lng decimallongitude locationlong locationlon longitudedeg";
constexpr std::string_view kLatitudes = "latitude lat decimallatitude locationlat latitudedeg";

constexpr CoordinateSet kEarthSet{
    kLongitudes, kLatitudes,
    "depth dep elevation altitude height z elev alt heightaboveellipsoid heightabovemsl radius r"};
constexpr CoordinateSet kSkySet{"ra rightascension raj2000 raicrs radeg rajdeg",
                                "dec declination dej2000 decl de deicrs decdeg dedeg dejdeg",
                                "distance dist d r radius"};

// Tried in this order; the first set with all three axes is taken.
constexpr std::array<CoordinateSet, 11> kSets{{
    {"x", "y", "z"},
    {"points0 position0 positions0 pos0 xyz0 coordinates0",
     "points1 position1 positions1 pos1 xyz1 coordinates1",
     "points2 position2 positions2 pos2 xyz2 coordinates2"},
    {"positionx posx xposition xpos", "positiony posy yposition ypos",
     "positionz posz zposition zpos"},
    {"pointx xpoint", "pointy ypoint", "pointz zpoint"},
    {"coordx xcoord coordinatex xcoordinate", "coordy ycoord coordinatey ycoordinate",
     "coordz zcoord coordinatez zcoordinate"},
    {"centerx centrex centroidx xcenter xcentre xcentroid locationcenterx",
     "centery centrey centroidy ycenter ycentre ycentroid locationcentery",
     "centerz centrez centroidz zcenter zcentre zcentroid locationcenterz"},
    {"locationx locx xlocation xloc", "locationy locy ylocation yloc",
     "locationz locz zlocation zloc"},
    {kLongitudes, kLatitudes, kHeights},
    {"easting eastings east utmeasting", "northing northings north utmnorthing", kHeights},
    {"pointx", "pointy", kHeights},
    {"x", "y", kHeights},
}};

bool is_among(std::string_view words, std::string_view word) {
  const auto all = split_words(words);
  return std::ranges::find(all, word) != all.end();
}

/// The quantity of a column, as those sets spell it.
std::string plain_quantity(std::string_view name) {
  return plain_name(named_column(name, 0).quantity);
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
  for (const std::string& name : names) quantities.push_back(plain_quantity(name));
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
  const std::string one = plain_quantity(first), other = plain_quantity(second);
  return std::ranges::any_of(std::array{kEarthSet, kSkySet}, [&](const CoordinateSet& set) {
    return is_among(set[0], one) && is_among(set[1], other);
  });
}

bool is_coordinate_name(std::string_view name) {
  return is_coordinate_word(named_column(name, 0).quantity);
}

bool is_coordinate_word(std::string_view quantity) {
  const std::string word = plain_name(quantity);
  return std::ranges::any_of(kSets, [&](const CoordinateSet& set) {
    return std::ranges::any_of(set, [&](std::string_view words) { return is_among(words, word); });
  });
}

bool is_depth_name(std::string_view name) { return is_among("depth dep", plain_quantity(name)); }

std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && !is_digit(c) && (c < 'a' || c > 'z');
  });
  return plain;
}

std::string coordinate_name_list() {
  std::string list;
  for (const CoordinateSet& set : kSets)
    list += fmt::format("{}{}, {}, {}", list.empty() ? "" : "; ", split_words(set[0])[0],
                        split_words(set[1])[0], split_words(set[2])[0]);
  return list;
}

}  // namespace skde::io
