// LAS points of every format, written here bit by bit after the tables of the specification (ASPRS,
// LAS 1.4 R15, and LAS 1.3 R11 for wave packets).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>

#if SKDE_HAS_LASZIP
#include <laszip/laszip_api.h>
#endif

#include "io/points/columns/carried_rows.hpp"
#include "io/points/point_table.hpp"
#include "io/reader_support.hpp"

namespace skde::test {
namespace {

enum class Kind { whole, below_zero, real };

/// One row of a table; its bits follow those of the row before.
struct Dimension {
  const char* name;
  unsigned bits;
  Kind kind = Kind::whole;
  double step = 1;
};

using Dimensions = std::vector<Dimension>;

const Dimensions kColors{{"red", 16}, {"green", 16}, {"blue", 16}},
    kWave{{"wavepacket_index", 8}, {"wavepacket_offset", 64},
          {"wavepacket_size", 32}, {"return_point_wave_location", 32, Kind::real},
          {"x_t", 32, Kind::real}, {"y_t", 32, Kind::real},
          {"z_t", 32, Kind::real}},
    kTime{{"gps_time", 64, Kind::real}};

Dimensions operator+(Dimensions a, const Dimensions& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Dimensions dimensions_of(unsigned format) {
  const Dimensions place{{"x", 32, Kind::below_zero},
                         {"y", 32, Kind::below_zero},
                         {"z", 32, Kind::below_zero},
                         {"intensity", 16}};
  const Dimensions point0 = place + Dimensions{{"return_number", 3},
                                               {"number_of_returns", 3},
                                               {"scan_direction_flag", 1},
                                               {"edge_of_flight_line", 1},
                                               {"classification", 5},
                                               {"synthetic", 1},
                                               {"key_point", 1},
                                               {"withheld", 1},
                                               {"scan_angle_rank", 8, Kind::below_zero},
                                               {"user_data", 8},
                                               {"point_source_id", 16}};
  const Dimensions point6 = place +
                            Dimensions{{"return_number", 4},
                                       {"number_of_returns", 4},
                                       {"synthetic", 1},
                                       {"key_point", 1},
                                       {"withheld", 1},
                                       {"overlap", 1},
                                       {"scanner_channel", 2},
                                       {"scan_direction_flag", 1},
                                       {"edge_of_flight_line", 1},
                                       {"classification", 8},
                                       {"user_data", 8},
                                       {"scan_angle", 16, Kind::below_zero, 0.006},
                                       {"point_source_id", 16}} +
                            kTime;
  switch (format) {
    case 0:
      return point0;
    case 1:
      return point0 + kTime;
    case 2:
      return point0 + kColors;
    case 3:
      return point0 + kTime + kColors;
    case 4:
      return point0 + kTime + kWave;
    case 5:
      return point0 + kTime + kColors + kWave;
    case 6:
      return point6;
    case 7:
      return point6 + kColors;
    case 8:
      return point6 + kColors + Dimensions{{"nir", 16}};
    case 9:
      return point6 + kWave;
    default:
      return point6 + kColors + Dimensions{{"nir", 16}} + kWave;
  }
}

/// Stores bits from the lowest bit of a byte up.
void put_bits(std::string& record, std::size_t first, unsigned bits, std::uint64_t value) {
  for (unsigned i = 0; i < bits; ++i) {
    const std::size_t bit = first + i;
    if ((value >> i & 1U) != 0)
      record[bit / 8] =
          static_cast<char>(static_cast<unsigned char>(record[bit / 8]) | (1U << (bit % 8)));
  }
}

constexpr double kScale = 0.25, kShift = 1000;  // of x, y and z

/// A file of random points, and the values of its columns.
struct RandomLas {
  RandomLas(unsigned format, std::size_t points, std::mt19937& random)
      : dimensions(dimensions_of(format)), values(dimensions.size()) {
    std::size_t size = 0;
    for (const Dimension& dimension : dimensions) size += dimension.bits;
    size = size / 8 + random() % 4;  // with extra bytes
    const unsigned minor = format < 4 ? 2 : format < 6 ? 3 : 4;
    const std::size_t head = minor == 2 ? 227 : minor == 3 ? 235 : 375;
    bytes.assign(head, '\0');
    bytes.replace(0, 4, "LASF");
    const auto put = [this](std::size_t at, unsigned count, std::uint64_t value) {
      put_bits(bytes, 8 * at, 8 * count, value);
    };
    put(24, 1, 1);
    put(25, 1, minor);
    put(94, 2, head);
    put(96, 4, head);
    put(104, 1, format);
    put(105, 2, size);
    put(minor < 4 ? 107 : 247, minor < 4 ? 4 : 8, points);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      put(131 + 8 * axis, 8, std::bit_cast<std::uint64_t>(kScale));
      put(155 + 8 * axis, 8, std::bit_cast<std::uint64_t>(kShift));
    }
    for (std::size_t i = 0; i < points; ++i) add_point(size, random);
  }

  void add_point(std::size_t size, std::mt19937& random) {
    std::string record(size, '\0');
    std::size_t bit = 0;
    for (std::size_t d = 0; d < dimensions.size(); bit += dimensions[d++].bits) {
      const auto& [name, bits, kind, step] = dimensions[d];
      // At most 32 random bits, as doubles hold no more than 53.
      std::uint64_t stored = random() & ((std::uint64_t{1} << std::min(bits, 32U)) - 1);
      auto value = static_cast<double>(stored);
      if (kind == Kind::real) {
        value = static_cast<double>(static_cast<float>(static_cast<double>(stored) * 1e-3 - 7));
        stored = bits == 64 ? std::bit_cast<std::uint64_t>(value)
                            : std::bit_cast<std::uint32_t>(static_cast<float>(value));
      } else if (kind == Kind::below_zero && (stored >> (bits - 1) & 1U) != 0) {
        value -= std::ldexp(1.0, static_cast<int>(bits));
      }
      put_bits(record, bit, bits, stored);
      values[d].push_back(d < 3 ? kScale * value + kShift : step * value);
    }
    bytes += record;
  }

  Dimensions dimensions;
  std::vector<std::vector<double>> values;  ///< one vector per dimension
  std::string bytes;
};

void check_values(const io::PointTable& table, const RandomLas& las) {
  REQUIRE(table.rows() == las.values[0].size());
  REQUIRE(table.names.size() == las.dimensions.size());
  for (std::size_t d = 0; d < las.dimensions.size(); ++d) {
    INFO(las.dimensions[d].name);
    const auto found = std::ranges::find(table.names, las.dimensions[d].name);
    REQUIRE(found != table.names.end());
    const auto column = static_cast<std::size_t>(found - table.names.begin());
    for (std::size_t i = 0; i < table.rows(); ++i) CHECK(table.at(i, column) == las.values[d][i]);
  }
}

}  // namespace

TEST_CASE("every dimension of the LAS formats 0 to 10 is read by its name") {
  const TemporaryFolder folder;
  NoProgress silent;
  std::mt19937 random(3);
  for (unsigned format = 0; format <= 10; ++format) {
    INFO("format " << format);
    const RandomLas las(format, 40, random);
    check_values(io::read_point_table(folder.file("a.las", las.bytes), {}, silent), las);
  }
}

// LAS 1.4 R15, section 2.6.4: 192 bytes describe a dimension.
TEST_CASE("extra bytes of LAS are dimensions by the names that the file gives them") {
  const auto put = [](std::string& bytes, std::size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  };
  struct Extra {
    const char* name;
    unsigned char code, options;
    double scale, shift;
    std::int64_t none;
  };
  constexpr unsigned char kNone = 1, kScaled = 8, kShifted = 16, kTwoBytes = 2;
  std::string described;
  for (const Extra& extra : {Extra{"Amplitude", 3, kScaled + kShifted, 0.01, -5, 0},
                             Extra{"direction", 30, 0, 1, 0, 0}, Extra{"", 0, kTwoBytes, 1, 0, 0},
                             Extra{"Deviation", 4, kNone, 1, 0, -1}, Extra{"id", 8, 0, 1, 0, 0}}) {
    std::string one(192, '\0');
    put(one, 2, extra.code);
    put(one, 3, extra.options);
    one.replace(4, std::string(extra.name).size(), extra.name);
    put(one, 40, extra.none);
    put(one, 112, extra.scale);
    put(one, 136, extra.shift);
    described += one;
  }
  constexpr std::size_t kRecord = 20 + 2 + 24 + 2 + 2 + 8 + 3;  // and 3 bytes of nobody's
  std::string bytes(227 + 54, '\0');
  bytes.replace(0, 4, "LASF");
  put(bytes, 24, std::uint8_t{1});
  put(bytes, 25, std::uint8_t{2});
  put(bytes, 94, std::uint16_t{227});
  put(bytes, 96, static_cast<std::uint32_t>(bytes.size() + described.size()));
  put(bytes, 100, std::uint32_t{1});
  put(bytes, 105, static_cast<std::uint16_t>(kRecord));
  put(bytes, 107, std::uint32_t{2});
  for (std::size_t axis = 0; axis < 3; ++axis) put(bytes, 131 + 8 * axis, 1.0);
  bytes.replace(227 + 2, 9, "LASF_Spec");
  put(bytes, 227 + 18, std::uint16_t{4});
  put(bytes, 227 + 20, static_cast<std::uint16_t>(described.size()));
  bytes += described;
  for (const std::int16_t deviation : {std::int16_t{7}, std::int16_t{-1}}) {
    std::string record(kRecord, '\0');
    put(record, 20, std::uint16_t{1234});
    put(record, 48, deviation);
    put(record, 50, std::int64_t{9007199254740993});
    bytes += record;
  }
  const TemporaryFolder folder;
  NoProgress silent;
  const io::PointTable table =
      io::read_point_table(folder.file("a.las", bytes), {.others = {"Deviation"}}, silent);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(table.names, name) - table.names.begin());
  };
  REQUIRE(table.rows() == 2);
  CHECK(table.at(0, column("Amplitude")) == 0.01 * 1234 - 5);
  CHECK(table.at(0, column("Deviation")) == 7);
  CHECK(std::isnan(table.at(1, column("Deviation"))));
  CHECK(io::exact_text(table.at(0, column("id")), table.carried.rest_of(0, column("id"))) ==
        "9007199254740993");
  CHECK(table.left_out ==
        std::vector<std::string>{"direction", "extra bytes from 46 on", "3 extra bytes"});
}

#if SKDE_HAS_LASZIP
/// The same points as LASzip writes them.
std::string packed(const std::string& las, unsigned format) {
  std::istringstream from(las);
  std::ostringstream to;
  laszip_POINTER reader = nullptr, writer = nullptr;
  laszip_BOOL is_packed = 1;
  laszip_header_struct* header = nullptr;
  laszip_point_struct* point = nullptr;
  REQUIRE(laszip_create(&reader) == 0);
  REQUIRE(laszip_create(&writer) == 0);
  REQUIRE(laszip_open_reader_stream(reader, from, &is_packed) == 0);
  REQUIRE(is_packed == 0);
  REQUIRE(laszip_get_header_pointer(reader, &header) == 0);
  REQUIRE(laszip_get_point_pointer(reader, &point) == 0);
  REQUIRE(laszip_set_header(writer, header) == 0);
  REQUIRE(laszip_request_native_extension(writer, format >= 6 ? 1 : 0) == 0);
  REQUIRE(laszip_open_writer_stream(writer, to, 1, 0) == 0);
  const std::uint64_t count = std::max<std::uint64_t>(header->number_of_point_records,
                                                      header->extended_number_of_point_records);
  for (std::uint64_t i = 0; i < count; ++i) {
    REQUIRE(laszip_read_point(reader) == 0);
    REQUIRE(laszip_set_point(writer, point) == 0);
    REQUIRE(laszip_write_point(writer) == 0);
  }
  REQUIRE(laszip_close_writer(writer) == 0);
  laszip_destroy(reader);
  laszip_destroy(writer);
  return to.str();
}

TEST_CASE("LAZ points are those of the LAS file") {
  const TemporaryFolder folder;
  NoProgress silent;
  std::mt19937 random(5);
  for (unsigned format = 0; format <= 10; ++format) {
    INFO("format " << format);
    const RandomLas las(format, 6000, random);
    const std::string laz = packed(las.bytes, format);
    REQUIRE((laz[104] & 0xc0) != 0);
    check_values(io::read_point_table(folder.file("a.laz", laz), {}, silent), las);
    const std::string cut = folder.file("cut.laz", laz.substr(0, laz.size() / 2));
    check_error([&] { io::read_point_table(cut, {}, silent); }, ErrorKind::input,
                {"cut.laz: cannot be ", "broken"});
  }
}
#endif

TEST_CASE("LAS points of every format have categories, weights and places by their bits") {
  std::mt19937 random(4);
  for (unsigned format = 0; format <= 10; ++format) {
    INFO("format " << format);
    const RandomLas las(format, 300, random);
    const auto values = [&](const char* name) {
      const auto found = std::ranges::find_if(
          las.dimensions, [&](const Dimension& one) { return std::string_view(one.name) == name; });
      return las.values[static_cast<std::size_t>(found - las.dimensions.begin())];
    };
    const TemporaryFolder folder;
    const std::string path = folder.file("a.las", las.bytes);
    io::ColumnSelection columns;
    columns.coordinates = {"return_number", "z", "number_of_returns"};
    columns.weight = "edge_of_flight_line";
    columns.category = "classification";
    const ReadRows rows = drain(*io::open_points(path, {columns.coordinates, columns.weight}), 64);
    for (std::size_t i = 0; i < 300; ++i) {
      CHECK(rows.xyz[3 * i] == values("return_number")[i]);
      CHECK(rows.xyz[3 * i + 1] == values("z")[i]);
      CHECK(rows.xyz[3 * i + 2] == values("number_of_returns")[i]);
      CHECK(rows.weights[i] == values("edge_of_flight_line")[i]);
    }
    columns.weight.clear();
    io::CloudStream stream({path}, columns, io::NonFinite::drop);
    Samples chunk;
    NoProgress silent;
    std::size_t first = 0;
    while (stream.read(chunk, 64, silent)) {
      for (std::size_t i = 0; i < chunk.size(); ++i)
        CHECK(stream.categories().name(chunk.categories[i]) ==
              fmt::format("{}", values("classification")[first + i]));
      first += chunk.size();
    }
    CHECK(first == 300);
  }
}

}  // namespace skde::test
