#include "io/points/columns/geographic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/points/columns/proj_transform.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr double kRadian = std::numbers::pi / 180;
constexpr double kEarthRadius = 6356752.3;  // polar radius in metres: no ellipsoidal height is
                                            // below -kEarthRadius
constexpr double kFlatteningWgs84 = 1 / 298.257223563;

using LengthUnit = std::pair<std::string_view, double>;
constexpr std::array<LengthUnit, 9> kMetres{{{"m", 1},
                                             {"metre", 1},
                                             {"metres", 1},
                                             {"meter", 1},
                                             {"meters", 1},
                                             {"km", 1000},
                                             {"kilometres", 1000},
                                             {"kilometers", 1000},
                                             {"ft", 0.3048}}};

std::optional<double> metres_of(std::string_view unit) {
  const std::string low = lower_case(unit);
  const auto* const found = std::ranges::find(kMetres, low, &LengthUnit::first);
  return found == kMetres.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse_geographic(const std::string& what, std::string suggestion) {
  throw Error(ErrorKind::usage, what, {"geographic", std::move(suggestion)});
}

/// Parses LON and LAT of "tangent:LON:LAT".
std::array<double, 2> parse_middle(std::span<const std::string_view> parts) {
  std::array<double, 2> middle{};
  bool good = parts.size() == 2;
  for (std::size_t i = 0; good && i < 2; ++i)
    good = parse_number(parts[i], middle[i]) && std::isfinite(middle[i]) &&
           std::abs(middle[i]) <= (i == 0 ? 360 : 90);
  if (!good)
    refuse_geographic("the origin of a frame must be a longitude and a latitude in degrees",
                      "write it as `geographic=tangent:LON:LAT`");
  return middle;
}

template <class Value, std::size_t Count>
std::optional<Value> word_among(const Words<Value, Count>& words, std::string_view text) {
  for (const auto& [word, value] : words)
    if (word == text) return value;
  return std::nullopt;
}

/// Degrees per unit of an angle column.
double degrees_of(const ReadColumn& column, bool may_be_hours, const std::string& file) {
  const std::string unit = lower_case(column.units);
  if (unit.empty() || unit.starts_with("deg") || unit == "°") return 1;
  if (unit.starts_with("rad")) return 1 / kRadian;
  if (may_be_hours && (unit == "h" || unit.starts_with("hour"))) return 15;
  throw Error(ErrorKind::input,
              fmt::format("{}: column {} is in {}, which is not a unit of angle", file,
                          excerpt(column.name), excerpt(column.units)),
              {"columns", "name longitude, latitude and the third coordinate with `columns`"});
}

ThirdCoordinate third_by_name(std::string_view name) {
  using Row = std::pair<std::string_view, ThirdCoordinate>;
  static constexpr std::array<Row, 11> kNames{{{"depth", ThirdCoordinate::depth},
                                               {"dep", ThirdCoordinate::depth},
                                               {"elevation", ThirdCoordinate::elevation},
                                               {"elev", ThirdCoordinate::elevation},
                                               {"altitude", ThirdCoordinate::elevation},
                                               {"alt", ThirdCoordinate::elevation},
                                               {"height", ThirdCoordinate::elevation},
                                               {"heightaboveellipsoid", ThirdCoordinate::elevation},
                                               {"heightabovemsl", ThirdCoordinate::elevation},
                                               {"radius", ThirdCoordinate::radius},
                                               {"r", ThirdCoordinate::radius}}};
  const std::string plain = plain_name(name);
  const auto* const found = std::ranges::find(kNames, plain, &Row::first);
  return found == kNames.end() ? ThirdCoordinate::by_name : found->second;
}

}  // namespace

Geographic parse_geographic(std::string_view text) {
  Geographic wanted{.frame = GeographicFrame::earth};
  bool first = true;
  for (const std::string_view word : split_at(text, ',')) {
    const std::vector<std::string_view> parts = split_at(word, ':');
    const auto frame = first ? word_among(kGeographicFrames, parts[0]) : std::nullopt;
    first = false;
    if (frame) {
      wanted.frame = *frame;
      if (parts.size() == 1) continue;
      if (!wanted.lacks_middle())
        refuse_geographic(fmt::format("{} has no origin", excerpt(parts[0])),
                          "drop it, or use `geographic=tangent:LON:LAT`");
      wanted.middle = parse_middle(std::span(parts).subspan(1));
    } else if (const auto third = word_among(kThirdCoordinates, word)) {
      wanted.third = *third;
    } else if (word == "m" || word == "km") {
      wanted.third_units = word;
    } else {
      static constexpr std::array<std::string_view, 9> kKnown{
          "earth", "tangent", "east-north-depth", "sky", "depth", "elevation", "radius", "m", "km"};
      refuse_geographic(fmt::format("unknown word {}", excerpt(word)), did_you_mean(word, kKnown));
    }
  }
  if (wanted.frame == GeographicFrame::sky &&
      (wanted.third != ThirdCoordinate::by_name || !wanted.third_units.empty()))
    refuse_geographic(
        "the third coordinate of the sky is always a distance in the unit of its column",
        "use `geographic=sky` alone");
  return wanted;
}

bool assumes_kilometres(const Geographic& wanted, const ReadColumn& third) {
  const bool is_depth = wanted.third == ThirdCoordinate::depth ||
                        (wanted.third == ThirdCoordinate::by_name &&
                         third_by_name(third.quantity) == ThirdCoordinate::depth);
  return wanted.frame != GeographicFrame::sky && is_depth && wanted.third_units.empty() &&
         wanted.units.empty() && third.units.empty();
}

void take_middle(Geographic& wanted, const std::string& described) {
  double longitude = 0, latitude = 0;
  const std::size_t about = described.find(" about longitude ");
  if (!wanted.lacks_middle() || about == described.npos) return;
  if (std::sscanf(described.c_str() + about, " about longitude %lf, latitude %lf", &longitude,
                  &latitude) == 2)
    wanted.middle = {longitude, latitude};
}

std::string geographic_text(const Geographic& wanted) {
  if (!wanted.wanted()) return "";
  std::string text(word_of(kGeographicFrames, wanted.frame));
  if (wanted.middle) text += fmt::format(":{}:{}", (*wanted.middle)[0], (*wanted.middle)[1]);
  if (wanted.third != ThirdCoordinate::by_name)
    text.append(",").append(word_of(kThirdCoordinates, wanted.third));
  return wanted.third_units.empty() ? text : text + "," + wanted.third_units;
}

GeographicPlaces::GeographicPlaces(const Geographic& wanted, const ReadColumns& columns,
                                   std::string file)
    : file_(std::move(file)), frame_(wanted.frame), described_(columns) {
  if (!SKDE_HAS_PROJ)
    throw Error(ErrorKind::unsupported, "this build has no PROJ, which converts degrees to lengths",
                {"geographic", "configure with SKDE_WITH_PROJ=ON"});
  for (std::size_t i = 0; i < 2; ++i)
    degrees_a_unit_[i] =
        degrees_of(columns.xyz[i], frame_ == GeographicFrame::sky && i == 0, file_);
  read_third(wanted, columns.xyz[2]);
  make_local(wanted);
  describe(wanted);
}

void GeographicPlaces::make_local(const Geographic& wanted) {
  const bool keeps_depth = frame_ == GeographicFrame::east_north_depth;
  if (keeps_depth && third_ == ThirdCoordinate::radius)
    refuse_geographic(
        fmt::format("{}: the third coordinate is a radius, from which no depth follows", file_),
        "use `geographic=tangent`, or a column of depths");
  if (frame_ != GeographicFrame::sky && third_ != ThirdCoordinate::radius && !keeps_depth)
    geocentric_ = proj_transform("+proj=cart +ellps=WGS84");
  if (wanted.lacks_middle())
    refuse_geographic(
        fmt::format("{}: the origin of the frame is not known", file_),
        fmt::format("give it as `geographic={}:LON:LAT`", word_of(kGeographicFrames, frame_)));
  if (frame_ == GeographicFrame::tangent || keeps_depth)
    local_ = proj_transform(fmt::format("+proj={} +ellps=WGS84 +lon_0={} +lat_0={}",
                                        keeps_depth ? "aeqd" : "topocentric +h_0=0",
                                        (*wanted.middle)[0], (*wanted.middle)[1]));
}

void GeographicPlaces::read_third(const Geographic& wanted, const ReadColumn& column) {
  if (frame_ == GeographicFrame::sky) {
    const std::string low = lower_case(column.quantity);
    constexpr std::array<std::string_view, 12> kNoDistances{
        "z",     "zspec", "z_spec", "zphot", "z_phot",   "photoz",
        "z_cmb", "zcmb",  "z_hel",  "plx",   "redshift", "parallax"};
    if (std::ranges::find(kNoDistances, low) != kNoDistances.end())
      throw Error(ErrorKind::input,
                  fmt::format("{}: column {} is a {}, not a distance", file_, excerpt(column.name),
                              low.starts_with('p') && low != "photoz" ? "parallax" : "redshift"),
                  {"columns", "convert it to distances, and name the column with `columns`"});
    third_units_ = column.units;
    units_ = wanted.units.empty() ? column.units : wanted.units;
    return;
  }
  third_ = wanted.third == ThirdCoordinate::by_name ? third_by_name(column.quantity) : wanted.third;
  if (third_ == ThirdCoordinate::by_name) {
    third_ = ThirdCoordinate::elevation;
    third_is_assumed_ = true;
  }
  units_ = wanted.units.empty() ? "km" : wanted.units;
  if (units_ != "m" && units_ != "km")
    throw Error(ErrorKind::usage,
                fmt::format("positions on Earth are converted to m or km, not {}", excerpt(units_)),
                {"units", "give `units=m`, or leave it out"});
  third_units_ = wanted.third_units.empty() ? column.units : wanted.third_units;
  if (third_units_.empty()) {
    units_are_assumed_ = true;
    third_units_ = third_ == ThirdCoordinate::elevation ? "m" : "km";
    if (!wanted.units.empty()) third_units_ = units_;
  }
  const auto metres = metres_of(third_units_);
  if (!metres)
    throw Error(ErrorKind::input,
                fmt::format("{}: column {} is in {}, which is not a known unit of length", file_,
                            excerpt(column.name), excerpt(third_units_)),
                {"geographic", "name its unit, as in `geographic=earth,depth,km`"});
  to_metres_ = *metres;
  from_metres_ = units_ == "km" ? 1e-3 : 1;
}

void GeographicPlaces::describe(const Geographic& wanted) {
  const auto& [first, second, third] = described_.xyz;
  const auto named = [](const ReadColumn& column, const char* otherwise) {
    return column.quantity.empty() ? std::string(otherwise) : column.quantity;
  };
  std::string of;
  std::array<const char*, 3> axes{"x", "y", "z"};
  const bool keeps_depth = frame_ == GeographicFrame::east_north_depth;
  if (frame_ == GeographicFrame::sky) {
    of = fmt::format("x, y and z{} of {}, {} and {}", units_.empty() ? "" : " in " + units_,
                     named(first, "right ascension"), named(second, "declination"),
                     named(third, "distance"));
  } else {
    if (wanted.middle) axes = {"east", "north", keeps_depth ? "depth" : "up"};
    const std::string about =
        wanted.middle ? fmt::format("east, north and {} in {} about longitude {}, latitude {}",
                                    axes[2], units_, (*wanted.middle)[0], (*wanted.middle)[1])
                      : fmt::format("geocentric x, y and z in {}", units_);
    const char* const sense = third_ == ThirdCoordinate::depth       ? "depth, positive down,"
                              : third_ == ThirdCoordinate::elevation ? "elevation, positive up,"
                                                                     : "radius";
    of = fmt::format("{} (WGS84) of {}, {} and {}: {} in {}", about, named(first, "longitude"),
                     named(second, "latitude"), named(third, "the third column"), sense,
                     third_units_);
    if (wanted.metres_assumed)
      of.replace(of.size() - 4, 4, kMetresAssumed);  // "in m"
    else if (third_is_assumed_ || units_are_assumed_)
      of += third_is_assumed_ && units_are_assumed_ ? " (both assumed)"
            : third_is_assumed_                     ? " (the former assumed)"
                                                    : " (assumed)";
    if (third_ == ThirdCoordinate::radius) of += ", latitudes geocentric";
  }
  described_.frame = std::move(of);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    described_.xyz[axis].quantity = axes[axis];
    described_.xyz[axis].units = units_;
  }
}

void GeographicPlaces::check(const double* row, const std::function<std::string()>& place) const {
  const bool sky = frame_ == GeographicFrame::sky;
  const auto refuse = [&](const std::string& what, const char* parameter, const char* advice) {
    throw Error(ErrorKind::input, fmt::format("{}: {}: {}", file_, place(), what),
                {parameter, advice});
  };
  const char* const order = sky ? "name right ascension, declination and distance with `columns`"
                                : "name longitude, latitude and the third with `columns`";
  if (std::abs(row[0] * degrees_a_unit_[0]) > 360)
    refuse(fmt::format("{} {} must be from -360 to 360 degrees",
                       sky ? "right ascension" : "longitude", row[0]),
           "columns", order);
  constexpr double kRounding = 1e-9;
  if (std::abs(row[1] * degrees_a_unit_[1]) > 90 + kRounding)
    refuse(fmt::format("{} {} must be from -90 to 90 degrees", sky ? "declination" : "latitude",
                       row[1]),
           "columns", order);
  if (third_ == ThirdCoordinate::radius) {
    if (row[2] < 0)
      refuse(fmt::format("{} {} is below 0", sky ? "distance" : "radius", row[2]), "columns",
             order);
  } else if (const double height = row[2] * to_metres_;
             (third_ == ThirdCoordinate::depth ? -height : height) <= -kEarthRadius) {
    refuse(fmt::format("{} {} in {} is below the Earth's centre",
                       word_of(kThirdCoordinates, third_), row[2], third_units_),
           "geographic", "state type and unit, as in `geographic=earth,depth,m`");
  } else if (units_are_assumed_ && third_ == ThirdCoordinate::depth && third_units_ == "km" &&
             std::abs(row[2]) > kDeepest) {
    refuse(fmt::format("depth {} has no unit, and would be beyond {} km", row[2], kDeepest),
           "geographic", "state its unit, as in `geographic=earth,depth,m`");
  }
}

void GeographicPlaces::convert(std::span<double> xyz,
                               const std::function<std::string(std::size_t)>& place_of) const {
  const std::size_t rows = xyz.size() / 3;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < rows; ++i) {
    double* const row = xyz.data() + 3 * i;
    if (!std::isfinite(row[0]) || !std::isfinite(row[1]) || !std::isfinite(row[2])) {
      missing.push_back(i);
      std::fill_n(row, 3, 0.0);
      continue;
    }
    check(row, [&] { return place_of(i); });
    const double longitude = row[0] * degrees_a_unit_[0] * kRadian;
    const double latitude = std::clamp(row[1] * degrees_a_unit_[1], -90.0, 90.0) * kRadian;
    const double length = row[2] * to_metres_;
    if (third_ == ThirdCoordinate::radius) {
      row[0] = length * std::cos(latitude) * std::cos(longitude);
      row[1] = length * std::cos(latitude) * std::sin(longitude);
      row[2] = length * std::sin(latitude);
    } else {
      row[0] = longitude;
      row[1] = latitude;
      row[2] = third_ == ThirdCoordinate::depth ? -length : length;
    }
  }
  if (geocentric_) geocentric_(xyz);
  if (local_) local_(xyz);
  for (std::size_t i = 0; i < xyz.size(); ++i)
    xyz[i] *=
        i % 3 == 2 && frame_ == GeographicFrame::east_north_depth ? -from_metres_ : from_metres_;
  for (const std::size_t i : missing)
    std::fill_n(xyz.data() + 3 * i, 3, std::numeric_limits<double>::quiet_NaN());
}

void GeographicMiddle::add(std::span<const double> xyz) {
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    const double length = std::hypot(xyz[i], xyz[i + 1], xyz[i + 2]);
    if (!(length > 0)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) sum_[axis] += xyz[i + axis] / length;
    places_ += 1;
  }
}

std::optional<std::array<double, 2>> GeographicMiddle::value() const {
  constexpr double kLeast = 1e-3;  // share of the sum's length if all directions were equal
  const auto& [x, y, z] = sum_;
  if (!(std::hypot(x, y, z) > kLeast * places_)) return std::nullopt;
  const double square = (1 - kFlatteningWgs84) * (1 - kFlatteningWgs84);
  const double latitude = std::atan2(z, square * std::hypot(x, y));
  const auto rounded = [](double radians) { return std::round(radians / kRadian * 1e4) / 1e4; };
  return std::array{rounded(std::atan2(y, x)), rounded(latitude)};
}

}  // namespace skde::io
