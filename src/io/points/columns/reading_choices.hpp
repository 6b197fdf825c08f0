#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/kernel_function.hpp"
#include "core/report/words.hpp"
#include "core/space/space.hpp"

namespace skde::io {

/// How rows with a NaN or an infinity are treated.
enum class NonFinite {
  drop,   ///< drop and count them
  error,  ///< throw Error(input)
};

/// Their names.
inline constexpr Words<NonFinite, 2> kNonFinite{
    {{"drop", NonFinite::drop}, {"error", NonFinite::error}}};

/// Part `part` of `parts` of each input. Every row is in exactly one of the parts.
struct CloudPart {
  std::uint64_t part = 0;   ///< 0-based
  std::uint64_t parts = 1;  ///< number of parts; 1: the whole input

  /// True if all members are equal.
  friend bool operator==(const CloudPart&, const CloudPart&) = default;
};

/// Consecutive rows of an input, and what they hold as an index of the file says.
struct RowRange {
  std::uint64_t first = 0;         ///< 0-based
  std::uint64_t rows = 0;          ///< number of rows
  std::uint64_t samples = 0;       ///< rows that are samples
  std::uint64_t hash = 0;          ///< RangeHash of the samples
  std::uint64_t rows_a_piece = 0;  ///< of the RangeHash

  /// True if all members are equal.
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// Meaning of the columns if the bandwidth is one column or one along each axis.
enum class WidthForm : std::uint8_t {
  by_name,    ///< decided by the column's name, see kSmoothingLengths; otherwise a length
  length,     ///< h_i in world units: H_i = h_i^2 I
  factor,     ///< a factor on the common H: H_i = h_i^2 H
  deviation,  ///< the standard deviation of the kernel along an axis
  support,    ///< the radius where the kernel ends
  fwhm,       ///< the full width at half of the kernel's maximum
};

/// Their names.
inline constexpr Words<WidthForm, 5> kWidthForms{{{"length", WidthForm::length},
                                                  {"factor", WidthForm::factor},
                                                  {"deviation", WidthForm::deviation},
                                                  {"support", WidthForm::support},
                                                  {"fwhm", WidthForm::fwhm}}};

/// What coordinates in degrees are converted to.
enum class GeographicFrame : std::uint8_t {
  none,     ///< they are not angles
  earth,    ///< from longitude, latitude and a third: geocentric x, y, z on the WGS84 ellipsoid
  tangent,  ///< from the same: east, north and up about a middle on the ellipsoid
  east_north_depth,  ///< from the same: distances east and north of a middle, and the depth
  sky,               ///< from right ascension, declination and distance: x, y, z
};

/// Their names.
inline constexpr Words<GeographicFrame, 4> kGeographicFrames{
    {{"earth", GeographicFrame::earth},
     {"tangent", GeographicFrame::tangent},
     {"east-north-depth", GeographicFrame::east_north_depth},
     {"sky", GeographicFrame::sky}}};

/// Meaning of the third coordinate on Earth.
enum class ThirdCoordinate : std::uint8_t {
  by_name,    ///< decided by its column's name
  depth,      ///< below the ellipsoid
  elevation,  ///< above the ellipsoid
  radius,     ///< distance from the centre; latitudes are then geocentric
};

/// Their names.
inline constexpr Words<ThirdCoordinate, 3> kThirdCoordinates{
    {{"depth", ThirdCoordinate::depth},
     {"elevation", ThirdCoordinate::elevation},
     {"radius", ThirdCoordinate::radius}}};

/// How coordinates in degrees are read.
struct Geographic {
  GeographicFrame frame = GeographicFrame::none;     ///< what they are converted to
  ThirdCoordinate third = ThirdCoordinate::by_name;  ///< meaning of the third coordinate
  std::string third_units{};    ///< m or km; empty: by its column's name, or else assumed
  bool metres_assumed = false;  ///< these units are m because depths are beyond those in km
  /// Longitude and latitude, in degrees, of the origin of east, north and up; unset: the cloud's
  /// middle.
  std::optional<std::array<double, 2>> middle{};
  std::string units{};  ///< of the result, on Earth m or km; empty: km, or the distance's unit

  /// Returns true if coordinates are angles to be converted to lengths.
  bool wanted() const { return frame != GeographicFrame::none; }
  /// Returns true if places are about an origin that is not known.
  bool lacks_middle() const {
    return !middle &&
           (frame == GeographicFrame::tangent || frame == GeographicFrame::east_north_depth);
  }
  /// True if all members are equal.
  friend bool operator==(const Geographic&, const Geographic&) = default;
};

/// What is read from a file.
struct ColumnSelection {
  /// Three names or 1-based numbers for x, y, z. Empty: the columns with usual names (see
  /// coordinate_names.hpp), or the first three numeric ones if no column has a name.
  std::vector<std::string> coordinates{};
  /// Name or 1-based number of the weight column; empty: no weights.
  std::string weight{};
  bool signed_weights = false;  ///< weights may be below 0
  /// Lines of a text file to skip before anything is examined.
  std::uint64_t skip = 0;
  /// Part of a file that holds several clouds: "locs" of "file.npz:locs", as its path says.
  std::string part{};
  /// Bandwidth columns, see width_columns.hpp; empty: all samples share one H.
  std::vector<std::string> widths{};
  WidthForm width_form = WidthForm::by_name;  ///< meaning of one bandwidth column, or of three
  /// The kernel that deviations, supports and such are widths of; see widths_need_kernel().
  KernelFunction width_kernel{};
  /// Further columns to read; their values follow the bandwidths in a chunk's rows.
  std::vector<std::string> others{};
  bool all_others = false;   ///< read all further numeric columns
  bool keeps_lines = false;  ///< rows of text files come with their lines, too
  /// The bandwidth columns were not named by the user but found by their usual names.
  bool widths_assumed = false;
  Symmetric3 widening{};  ///< added to the shapes of samples, in squared world units
  /// Name or 1-based number of the column, of texts or numbers, that holds the category of a
  /// sample; empty: no categories.
  std::string category{};
  std::size_t most_categories = 256;  ///< a column with more is refused as one of categories
  /// Name or 1-based number of the column of groups, each of which gets the same total weight from
  /// read_cloud(); empty: samples keep their weights. A category takes its place.
  std::string equal_by{};
  /// A condition on columns (see row_condition.hpp): rows that do not fulfil it are left out.
  /// Empty: no condition.
  std::string where{};

  /// How coordinates in degrees are converted.
  Geographic geographic{};
  /// Bytes that a file which is decoded as a whole may take in memory, as its opener knows; 0: any.
  std::int64_t most_bytes = 0;
  bool keeps_degrees = false;  ///< degrees are recognised, but not converted

  /// Returns true if samples have weights, which may come from columns of splats or mixtures.
  bool weighted() const;
  /// Returns true if samples have their own bandwidths or shapes.
  bool shaped() const { return !widths.empty(); }
  /// Returns true if H follows from the columns of widths and the kernel together.
  bool widths_need_kernel() const;
  /// Returns true if samples have categories.
  bool categorised() const { return !groups().empty(); }
  /// The column whose values are counted as categories; empty if there is none.
  const std::string& groups() const { return category.empty() ? equal_by : category; }

  /// True if all members are equal.
  friend bool operator==(const ColumnSelection&, const ColumnSelection&) = default;
};

}  // namespace skde::io
