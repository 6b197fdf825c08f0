#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// Coordinates that were found by their usual names.
struct NamedCoordinates {
  std::optional<std::array<std::size_t, 3>> xyz;  ///< 0-based indices
  std::string doubt;  ///< "'depth' and 'elevation' may both be z", if that is the only obstacle
};

/// Finds x, y and z among column names: by those letters, or as longitude, latitude and depth, as
/// easting, northing and elevation, or as Points:0 to Points:2. Letters and digits alone count, in
/// any case, and a unit at the end does not.
NamedCoordinates coordinates_among(const std::vector<std::string>& names);
/// Finds longitude, latitude and a third coordinate, or right ascension, declination and distance.
NamedCoordinates degrees_among(const std::vector<std::string>& names, bool of_sky);
/// Returns true for the names of longitude and latitude, or of right ascension and declination.
bool are_degrees(std::string_view first, std::string_view second);

/// Returns true for a name in any of those sets.
bool is_coordinate_name(std::string_view name);
/// Returns true for a name in any of those sets that has no unit at its end.
bool is_coordinate_word(std::string_view quantity);
/// Returns true for the name of a depth, with or without a unit: it grows downwards.
bool is_depth_name(std::string_view name);

/// Returns the letters and digits of a name in lower case, in which names are compared.
std::string plain_name(std::string_view name);
/// Returns all of those names, as one line for a page of help: "x, y, z; pointx, pointy, pointz".
std::string coordinate_name_list();

}  // namespace skde::io
