#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/points/read_columns.hpp"
#include "io/points/reading_choices.hpp"

namespace skde::io {

/// "earth", "tangent:10.5:45,depth,m" or, as earth is meant where no frame stands first,
/// "elevation". Error(usage).
Geographic parse_geographic(std::string_view text);
/// The same the other way, but for the units of what comes; empty where no frame is wanted.
std::string geographic_text(const Geographic& wanted);

/// Makes lengths of the coordinates of one file.
class GeographicPlaces {
 public:
  /// `columns`: those of the file. Error(input) where the names of the columns or their units are
  /// of something else, Error(usage) where a middle is missing or the units are no lengths,
  /// Error(unsupported) where this build has no PROJ.
  GeographicPlaces(const Geographic& wanted, const ReadColumns& columns, std::string file);

  /// The columns with the names, units and frame of what comes.
  const ReadColumns& described() const { return described_; }
  /// Replaces x, y and z of each row; those that are not finite become NaN. Error(input) that names
  /// `place_of` a row whose angles are none, or which lies below the Earth's centre.
  void convert(std::span<double> xyz,
               const std::function<std::string(std::size_t)>& place_of) const;

 private:
  void read_third(const Geographic& wanted, const ReadColumn& column);
  void describe(const Geographic& wanted);
  void check(const double* row, const std::function<std::string()>& place) const;

  std::string file_;
  GeographicFrame frame_;
  ThirdCoordinate third_ = ThirdCoordinate::radius;
  bool third_is_assumed_ = false, units_are_assumed_ = false;
  std::string third_units_, units_;
  std::array<double, 2> degrees_a_unit_{1, 1};  ///< of the two angles
  double to_metres_ = 1, from_metres_ = 1;      ///< of the third; of what comes
  ReadColumns described_;
  /// Steps of PROJ, of places in radians and metres; without one, latitudes are those of a sphere.
  std::function<void(std::span<double>)> geocentric_, local_;
};

/// The geodetic longitude and latitude in degrees, to four digits, under the mean direction of
/// geocentric places that are added; unset where they have none, as around the whole Earth.
class GeographicMiddle {
 public:
  void add(std::span<const double> xyz);
  std::optional<std::array<double, 2>> value() const;

 private:
  std::array<double, 3> sum_{};
  double places_ = 0;
};

}  // namespace skde::io
