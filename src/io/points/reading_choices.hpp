#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/report/words.hpp"

namespace skde::io {

/// What happens to rows with a NaN or an infinity.
enum class NonFinite {
  drop,   ///< they are left out, and counted
  error,  ///< they are Error(input)
};

/// Their words.
inline constexpr Words<NonFinite, 2> kNonFinite{
    {{"drop", NonFinite::drop}, {"error", NonFinite::error}}};

/// Part `part` of `parts` of each input, from 0. Every row is in one of the parts.
struct CloudPart {
  std::uint64_t part = 0;   ///< which, from 0
  std::uint64_t parts = 1;  ///< of how many; 1: the whole input

  /// True where all members are equal.
  friend bool operator==(const CloudPart&, const CloudPart&) = default;
};

/// What h_i in one column of widths is.
enum class WidthForm : std::uint8_t {
  length,  ///< in world units: H_i = h_i^2 I
  factor,  ///< on the common H: H_i = h_i^2 H
};

/// Their words.
inline constexpr Words<WidthForm, 2> kWidthForms{
    {{"length", WidthForm::length}, {"factor", WidthForm::factor}}};

/// What coordinates in degrees become.
enum class GeographicFrame : std::uint8_t {
  none,     ///< they are no angles
  earth,    ///< longitude, latitude and a third: geocentric x, y, z on the ellipsoid WGS84
  tangent,  ///< the same: east, north and up about a middle on it
  sky,      ///< right ascension, declination and distance: x, y, z
};

/// Their words.
inline constexpr Words<GeographicFrame, 3> kGeographicFrames{{{"earth", GeographicFrame::earth},
                                                              {"tangent", GeographicFrame::tangent},
                                                              {"sky", GeographicFrame::sky}}};

/// What the third coordinate on Earth is.
enum class ThirdCoordinate : std::uint8_t {
  by_name,    ///< as its column's name says
  depth,      ///< below the ellipsoid
  elevation,  ///< above it
  radius,     ///< the distance from the centre, beside which latitudes are geocentric
};

/// Their words.
inline constexpr Words<ThirdCoordinate, 3> kThirdCoordinates{
    {{"depth", ThirdCoordinate::depth},
     {"elevation", ThirdCoordinate::elevation},
     {"radius", ThirdCoordinate::radius}}};

/// How coordinates in degrees are read.
struct Geographic {
  GeographicFrame frame = GeographicFrame::none;     ///< what they become
  ThirdCoordinate third = ThirdCoordinate::by_name;  ///< what the third is
  std::string third_units{};  ///< m or km; empty: as its column's name says, or else assumed
  /// Longitude and latitude in degrees about which east, north and up are; unset: of the cloud.
  std::optional<std::array<double, 2>> middle{};
  std::string units{};  ///< of what comes, on Earth m or km; empty: km, or that of the distance

  /// True where coordinates are angles that become lengths.
  bool wanted() const { return frame != GeographicFrame::none; }
  /// True where all members are equal.
  friend bool operator==(const Geographic&, const Geographic&) = default;
};

/// What of a file is read.
struct ColumnSelection {
  /// Three names or 1-based numbers for x, y, z; empty: those of the usual names (see
  /// coordinate_names.hpp), or the first three that hold numbers where none has a name.
  std::vector<std::string> coordinates{};
  /// Name or 1-based number of the weight column; empty: no weights.
  std::string weight{};
  /// Lines of a text that are passed over before anything is looked at.
  std::uint64_t skip = 0;
  /// What of a file that holds several clouds: "locs" of "file.npz:locs", as its path says.
  std::string part{};
  /// Columns of widths, as width_columns.hpp says; empty: all samples have one H.
  std::vector<std::string> widths{};
  WidthForm width_form = WidthForm::length;  ///< of one column of widths
  /// Columns that are read besides, whose values stand behind the widths in a chunk's rows.
  std::vector<std::string> others{};
  bool all_others = false;  ///< all columns that hold numbers are
  /// Nobody named the widths: the names of the columns told.
  bool widths_assumed = false;
  /// Name or 1-based number of the column, of texts or numbers, that says of which category a
  /// sample is; empty: there are none.
  std::string category{};
  std::size_t most_categories = 256;  ///< more are taken for a column that is none of categories
  /// A condition on columns (see row_condition.hpp): rows for which it does not hold are left out.
  /// Empty: there is none.
  std::string where{};

  /// What coordinates in degrees become.
  Geographic geographic{};
  bool keeps_degrees = false;  ///< they are found, but left as they stand in the file

  /// True where samples have weights, be it in a column of widths.
  bool weighted() const;
  /// True where samples have widths or shapes of their own.
  bool shaped() const { return !widths.empty(); }
  /// True where samples have categories.
  bool categorised() const { return !category.empty(); }

  /// True where all members are equal.
  friend bool operator==(const ColumnSelection&, const ColumnSelection&) = default;
};

}  // namespace skde::io
