#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// What the usual names of coordinates say of a file's columns.
struct NamedCoordinates {
  std::optional<std::array<std::size_t, 3>> xyz;  ///< indices from 0
  std::string
      doubt;  ///< "'depth' and 'elevation' may both be z", where nothing else stands against
};

/// Finds x, y and z among names of columns: by those letters, or as longitude, latitude and depth,
/// easting, northing and elevation, Points:0 to Points:2, in any case and with or without units.
NamedCoordinates coordinates_among(const std::vector<std::string>& names);
/// Finds longitude, latitude and a third, or right ascension, declination and distance.
NamedCoordinates degrees_among(const std::vector<std::string>& names, bool of_sky);
/// True for the names of longitude and latitude, or right ascension and declination.
bool are_degrees(std::string_view first, std::string_view second);

/// True for a name that one of those sets has.
bool is_coordinate_name(std::string_view name);

}  // namespace skde::io
