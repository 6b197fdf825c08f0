#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/points/columns/read_columns.hpp"
#include "io/points/columns/reading_choices.hpp"

namespace skde::io {

/// Parses "earth", "tangent:10.5:45,depth,m" or "elevation"; without a frame in front, the frame is
/// "earth". Throws Error(usage).
Geographic parse_geographic(std::string_view text);
/// The inverse of parse_geographic(), without the units of the result; empty if no frame is wanted.
std::string geographic_text(const Geographic& wanted);

/// Ends the frame of depths in m by assumption.
inline constexpr std::string_view kMetresAssumed = "in m (assumed, as a depth is beyond 1,000)";
/// Returns true if a third coordinate of this column would be taken for a depth in km by its name.
bool assumes_kilometres(const Geographic& wanted, const ReadColumn& third);
/// Depths beyond this are none in km: the deepest earthquake is at 750 km.
inline constexpr double kDeepest = 1000;

/// Lets a frame that lacks its origin have that of places which are described by `described`, if
/// these are in such a frame.
void take_middle(Geographic& wanted, const std::string& described);

/// Converts the coordinates of one file to lengths.
class GeographicPlaces {
 public:
  /// `columns` are those of the file. Throws Error(input) if their names or units do not fit,
  /// Error(usage) if a middle is missing or the units are not lengths, Error(unsupported) if this
  /// build has no PROJ.
  GeographicPlaces(const Geographic& wanted, const ReadColumns& columns, std::string file);

  /// The columns with the names, units and frame of the result.
  const ReadColumns& described() const { return described_; }
  /// Converts x, y and z of each row; rows that are not finite become NaN. Throws Error(input) that
  /// names the row by place_of() if its angles are invalid or it lies below the Earth's centre.
  void convert(std::span<double> xyz,
               const std::function<std::string(std::size_t)>& place_of) const;

 private:
  void read_third(const Geographic& wanted, const ReadColumn& column);
  void make_local(const Geographic& wanted);
  void describe(const Geographic& wanted);
  void check(const double* row, const std::function<std::string()>& place) const;

  std::string file_;
  GeographicFrame frame_;
  ThirdCoordinate third_ = ThirdCoordinate::radius;
  bool third_is_assumed_ = false, units_are_assumed_ = false;
  std::string third_units_, units_;
  std::array<double, 2> degrees_a_unit_{1, 1};  ///< of the two angles
  double to_metres_ = 1, from_metres_ = 1;      ///< of the third coordinate; of the result
  ReadColumns described_;
  /// PROJ steps on positions in radians and metres. Without `geocentric_`, latitudes are spherical.
  std::function<void(std::span<double>)> geocentric_, local_;
};

/// The geodetic longitude and latitude in degrees, to four digits, in the mean direction of the
/// geocentric places added. Unset if there is no mean direction, as for places all around the
/// Earth.
class GeographicMiddle {
 public:
  void add(std::span<const double> xyz);
  std::optional<std::array<double, 2>> value() const;

 private:
  std::array<double, 3> sum_{};
  double places_ = 0;
};

}  // namespace skde::io
