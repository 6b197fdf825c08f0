// Places on Earth and in the sky as lengths, compared with textbook formulas in long double.

#include "io/points/columns/geographic.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "io/points/formats/open_points.hpp"
#include "io/points/point_table.hpp"
#include "reader_support.hpp"

namespace skde::test {
namespace {

using Real = long double;
using Place = std::array<Real, 3>;

constexpr Real kDegree = 3.14159265358979323846264338327950288L / 180;
constexpr Real kMajor = 6378137.0L, kFlattening = 1 / 298.257223563L;

/// Converts geodetic to geocentric coordinates: N = a / sqrt(1 - e^2 sin^2 latitude).
Place geocentric(Real longitude, Real latitude, Real height) {
  const Real lon = longitude * kDegree, lat = latitude * kDegree;
  const Real square = kFlattening * (2 - kFlattening);
  const Real n = kMajor / std::sqrt(1 - square * std::sin(lat) * std::sin(lat));
  return {(n + height) * std::cos(lat) * std::cos(lon),
          (n + height) * std::cos(lat) * std::sin(lon),
          (n * (1 - square) + height) * std::sin(lat)};
}

/// Converts a geocentric place to east, north and up about a point on the ellipsoid.
Place local(const Place& place, Real longitude, Real latitude) {
  const Place middle = geocentric(longitude, latitude, 0);
  const Real lon = longitude * kDegree, lat = latitude * kDegree;
  const Real x = place[0] - middle[0], y = place[1] - middle[1], z = place[2] - middle[2];
  const Real outward = std::cos(lon) * x + std::sin(lon) * y;
  return {-std::sin(lon) * x + std::cos(lon) * y, -std::sin(lat) * outward + std::cos(lat) * z,
          std::cos(lat) * outward + std::sin(lat) * z};
}

Place spherical(Real longitude, Real latitude, Real radius) {
  const Real lon = longitude * kDegree, lat = latitude * kDegree;
  return {radius * std::cos(lat) * std::cos(lon), radius * std::cos(lat) * std::sin(lon),
          radius * std::sin(lat)};
}

io::ColumnSelection geographic(const std::string& text) {
  io::ColumnSelection columns;
  columns.geographic = io::parse_geographic(text);
  return columns;
}

struct RandomPlaces {
  std::vector<std::array<double, 3>> rows;
  std::string table(const std::string& header) const {
    std::string text = header + "\n";
    for (const auto& row : rows)
      text += fmt::format("{:.17g},{:.17g},{:.17g}\n", row[0], row[1], row[2]);
    return text;
  }
};

RandomPlaces random_places(std::uint64_t seed, std::size_t count, double least, double most) {
  std::mt19937_64 random(seed);
  const auto within = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  RandomPlaces places;
  for (std::size_t i = 0; i < count; ++i)
    places.rows.push_back({within(-360, 360), within(-90, 90), within(least, most)});
  places.rows.push_back({0, 90, least});
  places.rows.push_back({180, -90, most});
  return places;
}

/// Checks errors of about one part in 1e14 of the Earth's radius, which is 6e-8 m.
void check_places(const std::vector<double>& xyz, const RandomPlaces& places, Real scale,
                  const std::function<Place(const std::array<double, 3>&)>& expected) {
  REQUIRE(xyz.size() == 3 * places.rows.size());
  Real worst = 0;
  for (std::size_t i = 0; i < places.rows.size(); ++i) {
    const Place place = expected(places.rows[i]);
    for (std::size_t axis = 0; axis < 3; ++axis)
      worst = std::max(worst, std::abs(xyz[3 * i + axis] - place[axis] * scale));
  }
  CHECK(static_cast<double>(worst / scale) < 1e-7);
}

}  // namespace

#if SKDE_HAS_PROJ

TEST_CASE("Longitude, latitude and depth are geocentric kilometres by the textbook",
          "[geographic]") {
  const RandomPlaces depths = random_places(1, 300, -9, 700);
  check_places(read_bytes("a.csv", depths.table("lon,lat,depth"), geographic("earth")).xyz, depths,
               1e-3L,
               [](const auto& row) { return geocentric(row[0], row[1], -1000 * Real{row[2]}); });
  // Columns in another order, metres by the column name, elevation upward.
  const RandomPlaces heights = random_places(2, 300, -400, 8848);
  std::string text = "elevation (m),lat,long\n";
  for (const auto& row : heights.rows)
    text += fmt::format("{:.17g},{:.17g},{:.17g}\n", row[2], row[1], row[0]);
  check_places(read_bytes("a.csv", text, geographic("earth")).xyz, heights, 1e-3L,
               [](const auto& row) { return geocentric(row[0], row[1], row[2]); });
  io::ColumnSelection metres = geographic("earth,elevation,km");
  metres.geographic.units = "m";
  const RandomPlaces others = random_places(3, 300, -1, 9);
  check_places(read_bytes("a.csv", others.table("lon,lat,z"), metres).xyz, others, 1,
               [](const auto& row) { return geocentric(row[0], row[1], 1000 * Real{row[2]}); });
}

TEST_CASE("A radius goes with geocentric latitudes, and a distance with those of the sky",
          "[geographic]") {
  const RandomPlaces radii = random_places(4, 300, 3400, 6371);
  check_places(read_bytes("a.csv", radii.table("lon,lat,radius"), geographic("earth")).xyz, radii,
               1e-3L,
               [](const auto& row) { return spherical(row[0], row[1], 1000 * Real{row[2]}); });
  const RandomPlaces stars = random_places(5, 300, 0, 4000);
  const std::string table = stars.table("ra,dec,dist [Mpc]");
  const auto stream = io::open_points(io::memory_source("a.csv", table), geographic("sky"));
  CHECK(stream->columns().units() == "Mpc");
  CHECK_THAT(stream->columns().frame,
             Catch::Matchers::ContainsSubstring("Mpc of ra, dec and dist"));
  check_places(drain(*stream, 100).xyz, stars, 1,
               [](const auto& row) { return spherical(row[0], row[1], row[2]); });
  const auto hours = read_bytes("a.csv", "ra (h),dec,dist\n6,0,2\n", geographic("sky"));
  CHECK(hours.xyz[1] == Approx(2));
  CHECK(std::abs(hours.xyz[0]) < 1e-15);
}

TEST_CASE("East, north and up are those about a middle, given or the cloud's own", "[geographic]") {
  const RandomPlaces places = random_places(6, 300, -3, 650);
  const auto given = [](const auto& row) {
    return local(geocentric(row[0], row[1], -1000 * Real{row[2]}), -71.5L, -33.25L);
  };
  check_places(
      read_bytes("a.csv", places.table("lon,lat,depth"), geographic("tangent:-71.5:-33.25")).xyz,
      places, 1e-3L, given);
  // Places around 179.9999 east, on both sides of the date line.
  RandomPlaces around;
  for (const double lon : {179.0, -179.0, 180.5, -180.5})
    for (const double lat : {-21.0, -19.0}) around.rows.push_back({lon, lat, 10});
  const TemporaryFile file("a.csv", around.table("lon,lat,depth"));
  const io::LoadedCloud cloud = load({file.path()}, geographic("tangent"));
  const std::string& frame = cloud.columns.frame;
  double lon = 0, lat = 0;
  REQUIRE(std::sscanf(frame.c_str(), "east, north and up in km about longitude %lf, latitude %lf",
                      &lon, &lat) == 2);
  CHECK(std::abs(std::abs(lon) - 180) < 1e-3);
  CHECK(lat == Approx(-20).margin(0.01));
  check_places(cloud.points.xyz, around, 1e-3L, [&](const auto& row) {
    return local(geocentric(row[0], row[1], -1000 * Real{row[2]}), lon, lat);
  });
  CHECK(cloud.columns.axis_names() == std::array<std::string, 3>{"east", "north", "up"});
  CHECK(cloud.columns.units() == "km");
  const TemporaryFile all("a.csv", "lon,lat,depth\n0,0,1\n180,0,1\n90,0,1\n270,0,1\n");
  check_error([&] { load({all.path()}, geographic("tangent")); }, ErrorKind::usage,
              {"surround the Earth", "tangent:LON:LAT"});
}

/// Distance and azimuth on WGS84 by the series of Vincenty (1975), good to a millimetre.
std::pair<Real, Real> geodesic(Real lon1, Real lat1, Real lon2, Real lat2) {
  const Real b = kMajor * (1 - kFlattening), difference = (lon2 - lon1) * kDegree;
  const Real u1 = std::atan((1 - kFlattening) * std::tan(lat1 * kDegree)),
             u2 = std::atan((1 - kFlattening) * std::tan(lat2 * kDegree));
  Real lambda = difference, s = 0, c = 0, sigma = 0, square = 0, twice = 0;
  for (int i = 0; i < 100; ++i) {
    s = std::hypot(std::cos(u2) * std::sin(lambda),
                   std::cos(u1) * std::sin(u2) - std::sin(u1) * std::cos(u2) * std::cos(lambda));
    c = std::sin(u1) * std::sin(u2) + std::cos(u1) * std::cos(u2) * std::cos(lambda);
    sigma = std::atan2(s, c);
    const Real sine = std::cos(u1) * std::cos(u2) * std::sin(lambda) / s;
    square = 1 - sine * sine;
    twice = c - 2 * std::sin(u1) * std::sin(u2) / square;
    const Real C = kFlattening / 16 * square * (4 + kFlattening * (4 - 3 * square));
    lambda = difference + (1 - C) * kFlattening * sine *
                              (sigma + C * s * (twice + C * c * (2 * twice * twice - 1)));
  }
  const Real u = square * (kMajor * kMajor - b * b) / (b * b);
  const Real A = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u))),
             B = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)));
  const Real more = B * s *
                    (twice + B / 4 *
                                 (c * (2 * twice * twice - 1) -
                                  B / 6 * twice * (4 * s * s - 3) * (4 * twice * twice - 3)));
  return {b * A * (sigma - more),
          std::atan2(std::cos(u2) * std::sin(lambda),
                     std::cos(u1) * std::sin(u2) - std::sin(u1) * std::cos(u2) * std::cos(lambda))};
}

TEST_CASE("East, north and depth keep depths and the distances from the origin", "[geographic]") {
  RandomPlaces places;
  for (int i = 0; i < 40; ++i)
    places.rows.push_back({179 + 11 * std::sin(i), -20 + 15 * std::cos(1.7 * i), 17.5 * i});
  const auto text = places.table("lon,lat,depth");
  const auto xyz = read_bytes("a.csv", text, geographic("east-north-depth:179:-21")).xyz;
  double worst = 0;
  for (std::size_t i = 0; i < places.rows.size(); ++i) {
    const auto& [lon, lat, depth] = places.rows[i];
    const auto [metres, azimuth] = geodesic(179, -21, lon, lat);
    worst = std::max({worst, std::abs(1000 * xyz[3 * i] - double(metres * std::sin(azimuth))),
                      std::abs(1000 * xyz[3 * i + 1] - double(metres * std::cos(azimuth)))});
    CHECK(xyz[3 * i + 2] == Approx(depth).margin(1e-9));
  }
  CHECK(worst < 2e-3);  // metres
  const TemporaryFile file("a.csv", text);
  const io::LoadedCloud cloud = load({file.path()}, geographic("east-north-depth"));
  CHECK(cloud.columns.axis_names() == std::array<std::string, 3>{"east", "north", "depth"});
  CHECK_THAT(cloud.columns.frame,
             Catch::Matchers::StartsWith("east, north and depth in km about longitude 17"));
  // Heights become depths; a radius is none.
  CHECK(read_bytes("a.csv", "lon,lat,height\n1,2,1500\n", geographic("east-north-depth:1:1"))
            .xyz[2] == Approx(-1.5));
  check_error(
      [&] {
        read_bytes("a.csv", "lon,lat,radius\n1,2,6000\n", geographic("east-north-depth:1:1"));
      },
      ErrorKind::usage, {"from which no depth follows"});
}

TEST_CASE("Depths without a unit beyond 1,000 are metres, or asked about", "[geographic]") {
  const std::string header = "lon,lat,depth\n", shallow = "1,2,700\n", deep = "1,2,1500\n";
  const auto loaded = [](const std::string& text, const std::string& wanted) {
    const TemporaryFile file("a.csv", text);
    return load({file.path()}, geographic(wanted));
  };
  const io::LoadedCloud metres = loaded(header + shallow + deep, "east-north-depth:1:2");
  CHECK(metres.points.xyz[5] == Approx(1.5));
  CHECK_THAT(metres.columns.frame, Catch::Matchers::EndsWith(std::string(io::kMetresAssumed)));
  CHECK(loaded(header + shallow, "east-north-depth:1:2").points.xyz[2] == Approx(700));
  CHECK(loaded(header + deep, "east-north-depth:1:2,depth,km").points.xyz[2] == Approx(1500));
  CHECK(loaded("lon,lat,depth_km\n" + deep, "east-north-depth:1:2").points.xyz[2] == Approx(1500));
  // A deep row after many others comes too late, and a pipe cannot be looked at.
  std::string late = header;
  for (int i = 0; i < 20000; ++i) late += shallow;
  check_error([&] { loaded(late + deep, "earth"); }, ErrorKind::input,
              {"line 20002", "depth 1500 has no unit", "[geographic]"});
  check_error([&] { read_bytes("a.csv", header + deep, geographic("earth")); }, ErrorKind::input,
              {"line 2", "depth 1500 has no unit"});
}

TEST_CASE("A frame without an origin takes that of other places", "[geographic]") {
  io::Geographic wanted = io::parse_geographic("tangent,depth");
  io::take_middle(wanted,
                  "east, north and up in km about longitude -71.5, latitude 10.25 (WGS84) of a");
  CHECK(io::geographic_text(wanted) == "tangent:-71.5:10.25,depth");
  io::Geographic given = io::parse_geographic("tangent:1:2");
  io::take_middle(given,
                  "east, north and up in km about longitude -71.5, latitude 10.25 (WGS84) of a");
  CHECK(io::geographic_text(given) == "tangent:1:2");
  io::Geographic earth = io::parse_geographic("earth");
  io::take_middle(earth, "geocentric x, y and z in km (WGS84) of lon, lat and depth");
  CHECK(io::geographic_text(earth) == "earth");
}

TEST_CASE("What is assumed of places is said", "[geographic]") {
  const auto frame = [](const std::string& header, const std::string& text) {
    return io::open_points(io::memory_source("a.csv", header + "\n1,2,3\n"), geographic(text))
        ->columns()
        .frame;
  };
  CHECK(frame("lon,lat,depth", "earth") ==
        "geocentric x, y and z in km (WGS84) of lon, lat and depth: depth, positive down, in km "
        "(assumed)");
  CHECK_THAT(frame("lon,lat,altitude", "earth"),
             Catch::Matchers::ContainsSubstring("elevation, positive up, in m (assumed)"));
  CHECK_THAT(frame("lon,lat,z", "earth"), Catch::Matchers::EndsWith("in m (both assumed)"));
  CHECK_THAT(frame("lon,lat,z", "earth,depth,m"),
             Catch::Matchers::EndsWith("depth, positive down, in m"));
  CHECK_THAT(frame("lon,lat,depth_m", "earth"), Catch::Matchers::EndsWith("in m"));
}

TEST_CASE("Conditions and tables see coordinates as they stand in the file", "[geographic]") {
  const TemporaryFile file("a.csv", "lon,lat,depth\n0,0,0\n90,0,50\nnan,0,10\n0,90,0\n");
  io::ColumnSelection columns = geographic("earth");
  columns.where = "depth < 20";
  const io::LoadedCloud cloud = load({file.path()}, columns);
  REQUIRE(cloud.points.size() == 2);
  CHECK(cloud.counts.left_out == 1);
  CHECK(cloud.counts.non_finite == 1);
  CHECK(cloud.points.xyz[0] == Approx(6378.137));
  CHECK(cloud.points.xyz[5] == Approx(6356.752314245));
  NoProgress silent;
  const io::PointTable table = io::read_point_table(file.path(), geographic("earth"), silent);
  CHECK(table.at(1, 2) == 50);
  CHECK(table.point(1)[1] == Approx(6328.137));
}

TEST_CASE("Places that are none are refused by their line", "[geographic]") {
  const auto refused = [](const std::string& text, const std::string& wanted,
                          std::initializer_list<std::string> fragments) {
    INFO(text);
    check_error([&] { read_bytes("a.csv", text, geographic(wanted)); }, ErrorKind::input,
                fragments);
  };
  refused("lon,lat,depth\n1,2,3\n1,91,3\n", "earth", {"line 3", "latitude 91", "[columns]"});
  refused("lon,lat,depth\n361,2,3\n", "earth", {"line 2", "longitude 361"});
  refused("lon,lat,depth\n1,2,7000\n", "earth", {"depth 7000 in km", "centre", "[geographic]"});
  refused("lon,lat,radius\n1,2,-1\n", "earth", {"radius -1 is below 0"});
  refused("lon (m),lat,depth\n1,2,3\n", "earth", {"'lon (m)'", "not a unit of angle"});
  refused("lon,lat,depth (fathoms)\n1,2,3\n", "earth", {"'fathoms'", "not a known unit of length"});
  refused("a,b,c\n1,2,3\n", "earth", {"longitude, latitude and depth"});
  refused("ra,dec,redshift\n1,2,3\n", "sky", {"ra, dec and distance"});
  refused("ra,dec,distance\n1,2,3\n", "earth", {"longitude, latitude", "`geographic=sky`"});
  for (const char* const name : {"redshift", "z", "zspec", "parallax"}) {
    io::ColumnSelection columns = geographic("sky");
    columns.coordinates = {"ra", "dec", name};
    const std::string text = fmt::format("ra,dec,{}\n1,2,3\n", name);
    check_error([&] { read_bytes("a.csv", text, columns); }, ErrorKind::input,
                {"not a distance", "[columns]"});
  }
  refused("lon,lat,depth\n1,2,3\n", "sky", {"ra, dec and distance", "`geographic=earth`"});
  check_error([] { io::parse_geographic("earth,deep"); }, ErrorKind::usage,
              {"'deep'", "[geographic]"});
  check_error([] { io::parse_geographic("tangent:200"); }, ErrorKind::usage, {"LON:LAT"});
  check_error([] { io::parse_geographic("sky,depth"); }, ErrorKind::usage, {"distance"});
}

#else

TEST_CASE("Without PROJ degrees are refused", "[geographic]") {
  check_error([] { read_bytes("a.csv", "lon,lat,depth\n1,2,3\n", geographic("earth")); },
              ErrorKind::unsupported, {"no PROJ", "[geographic]"});
}

#endif

TEST_CASE("Frames are written as they are read", "[geographic]") {
  for (const char* text : {"earth", "tangent", "sky", "tangent:-71.5:10,depth,m", "earth,radius",
                           "east-north-depth:170:-20"})
    CHECK(io::geographic_text(io::parse_geographic(text)) == text);
  CHECK(io::geographic_text(io::parse_geographic("elevation")) == "earth,elevation");
  CHECK(io::geographic_text({}).empty());
}

TEST_CASE("Columns of degrees are hinted at where they are taken for lengths", "[geographic]") {
  const auto remark = [](const std::string& header) {
    return io::open_points(io::memory_source("a.csv", header + "\n1,2,3\n"), {})->columns().remark;
  };
  CHECK_THAT(remark("lon,lat,depth"), Catch::Matchers::ContainsSubstring("`geographic`"));
  CHECK_THAT(remark("Longitude (deg),Latitude (deg),z"),
             Catch::Matchers::ContainsSubstring("`geographic`"));
  CHECK(remark("x,y,z").empty());
}

}  // namespace skde::test
