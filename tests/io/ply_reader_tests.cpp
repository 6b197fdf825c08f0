#include <bit>
#include <limits>

#include "io/reader_support.hpp"

namespace skde::test {
namespace {

const std::string kXyzFloat = "property float x\nproperty float y\nproperty float z\n";

std::string ply(const std::string& format, const std::string& elements, const std::string& body) {
  return "ply\nformat " + format + " 1.0\ncomment made for a test\nobj_info none\n" + elements +
         "end_header\n" + body;
}

std::string vertices(int count, const std::string& properties) {
  return "element vertex " + std::to_string(count) + "\n" + properties;
}

}  // namespace

TEST_CASE("PLY text keeps doubles and finds x, y, z by name in any order and case", "[ply]") {
  const std::string properties =
      "property uchar red\nproperty double Z\nproperty double X\nproperty double Y\n";
  check_rows("a.ply", ply("ascii", vertices(2, properties), "7 0.3 0.1 0.2\n8 1e-300 +5 -inf\n"),
             {0.1, 0.2, 0.3, 5, -std::numeric_limits<double>::infinity(), 1e-300});
}

TEST_CASE("PLY binary is read in both byte orders and all scalar types", "[ply]") {
  const bool big = GENERATE(false, true);
  const std::string format = big ? "binary_big_endian" : "binary_little_endian";
  const auto one_type = [&](const std::string& type, const std::string& body) {
    const std::string properties =
        "property " + type + " x\nproperty " + type + " y\nproperty " + type + " z\n";
    INFO(type);
    check_rows("a.ply", ply(format, vertices(2, properties), body), {1, 2, 3, 4, 5, 100});
  };
  const std::initializer_list<double> values{1, 2, 3, 4, 5, 100};
  for (const char* type : {"char", "int8"}) one_type(type, stored<std::int8_t>(values, big));
  for (const char* type : {"uchar", "uint8"}) one_type(type, stored<std::uint8_t>(values, big));
  for (const char* type : {"short", "int16"}) one_type(type, stored<std::int16_t>(values, big));
  for (const char* type : {"ushort", "uint16"}) one_type(type, stored<std::uint16_t>(values, big));
  for (const char* type : {"int", "int32"}) one_type(type, stored<std::int32_t>(values, big));
  for (const char* type : {"uint", "uint32"}) one_type(type, stored<std::uint32_t>(values, big));
  for (const char* type : {"float", "float32"}) one_type(type, stored<float>(values, big));
  for (const char* type : {"double", "float64"}) one_type(type, stored<double>(values, big));
}

TEST_CASE("PLY files with more vertices than promised are refused, with a line's end they are not",
          "[ply]") {
  const std::string rows = stored<float>({1, 2, 3, 4, 5, 6});
  check_refused("a.ply", ply("binary_little_endian", vertices(1, kXyzFloat), rows),
                {"bytes follow the 1 rows"});
  check_refused("a.ply", ply("ascii", vertices(1, kXyzFloat), "1 2 3\n4 5 6\n"),
                {"more rows than the 1"});
  check_rows("a.ply", ply("binary_little_endian", vertices(2, kXyzFloat), rows + "\n"),
             {1, 2, 3, 4, 5, 6});
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
  check_rows("a.ply",
             ply("binary_little_endian", vertices(1, kXyzFloat) + faces,
                 stored<float>({1, 2, 3}) + std::string("\3") + stored<std::int32_t>({0, 0, 0})),
             {1, 2, 3});
}

TEST_CASE("PLY integers keep their sign", "[ply]") {
  const std::string properties = "property char x\nproperty short y\nproperty int z\n";
  check_rows("a.ply",
             ply("binary_big_endian", vertices(1, properties),
                 stored<std::int8_t>({-1}) + stored<std::int16_t>({-300}, true) +
                     stored<std::int32_t>({-70000}, true)),
             {-1, -300, -70000});
}

TEST_CASE("PLY doubles are kept to the bit", "[ply]") {
  const std::initializer_list<double> values{0.1, 451234.56789012345, 5e-324, -0.0, 1.0 / 3, 1e308};
  const std::string properties = "property double x\nproperty double y\nproperty double z\n";
  for (bool big : {false, true}) {
    const auto rows =
        read_bytes("a.ply", ply(big ? "binary_big_endian" : "binary_little_endian",
                                vertices(2, properties), stored<double>(values, big)));
    const std::vector<double> expected(values);
    REQUIRE(rows.xyz.size() == 6);
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(std::bit_cast<std::uint64_t>(rows.xyz[i]) == std::bit_cast<std::uint64_t>(expected[i]));
  }
}

TEST_CASE("PLY extra and list properties and other elements are passed over", "[ply]") {
  const std::string camera = "element camera 2\nproperty short a\nproperty double b\n";
  const std::string strips = "element strip 2\nproperty list uchar ushort ids\nproperty float w\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string rich = "property list uint8 double history\n" + kXyzFloat +
                           "property list int char tags\nproperty float weight\n";
  SECTION("text") {
    check_rows("a.ply",
               ply("ascii", camera + strips + vertices(2, rich) + faces,
                   "1 2\n3 4\n2 7 8 .5\n0 .25\n1 9 1 2 3 2 5 5 .5\n\n0 4 5 6 0 2\n3 0 1 0\n"),
               {1, 2, 3, 4, 5, 6}, {{}, "weight"}, {.5, 2});
  }
  SECTION("binary") {
    const bool big = GENERATE(false, true);
    const std::string body =
        stored<std::int16_t>({1}, big) + stored<double>({2}, big) + stored<std::int16_t>({3}, big) +
        stored<double>({4}, big) + stored<std::uint8_t>({2}) + stored<std::uint16_t>({7, 8}, big) +
        stored<float>({.5}, big) + stored<std::uint8_t>({0}) + stored<float>({.25}, big) +
        stored<std::uint8_t>({1}) + stored<double>({9}, big) + stored<float>({1, 2, 3}, big) +
        stored<std::int32_t>({2}, big) + "ab" + stored<float>({.5}, big) +
        stored<std::uint8_t>({0}) + stored<float>({4, 5, 6}, big) + stored<std::int32_t>({0}, big) +
        stored<float>({2}, big) + stored<std::uint8_t>({3}) + stored<std::int32_t>({0, 1, 0}, big);
    check_rows("a.ply",
               ply(big ? "binary_big_endian" : "binary_little_endian",
                   camera + strips + vertices(2, rich) + faces, body),
               {1, 2, 3, 4, 5, 6}, {{}, "weight"}, {.5, 2});
  }
}

TEST_CASE("PLY headers may end their lines with carriage return and line feed", "[ply]") {
  check_rows("a.ply",
             "ply\r\nformat ascii 1.0\r\nelement vertex 1\r\nproperty float x\r\n"
             "property float y\r\nproperty float z\r\nend_header\r\n1 2 3\r\n",
             {1, 2, 3});
}

TEST_CASE("PLY columns are chosen by name or number, lists not counted", "[ply]") {
  const std::string bytes =
      ply("ascii", vertices(1, "property list uchar int l\n" + kXyzFloat + "property int c\n"),
          "1 9 1 2 3 4\n");
  check_rows("a.ply", bytes, {3, 4, 1}, {{"z", "4", "X"}, ""});
  check_error(
      [&] {
        read_bytes("a.ply", bytes, {{"x", "y", "l"}, ""});
      },
      ErrorKind::usage, {"a.ply", "no column 'l'", "[columns]", "x, y, z, c"});
  check_error(
      [&] {
        read_bytes("a.ply", bytes, {{}, "colour"});
      },
      ErrorKind::usage, {"no column 'colour'", "[weights]"});
}

TEST_CASE("PLY headers that lie about counts are refused before anything is allocated", "[ply]") {
  const std::string body = stored<float>({1, 2, 3});
  const auto lying = [&](const std::string& format, const std::string& count) {
    return ply(format, "element vertex " + count + "\n" + kXyzFloat, body);
  };
  check_refused("a.ply", lying("binary_little_endian", "1000000000000"),
                {"1000000000000 vertices", "only 12 bytes", "truncated"});
  check_refused("a.ply", lying("binary_little_endian", "18446744073709551615"),
                {"more than any file can hold"});
  check_refused("a.ply", lying("binary_little_endian", "99999999999999999999"),
                {"line 5", "must be an integer"});
  check_refused("a.ply", lying("ascii", "1000000000000"), {"1000000000000 vertices", "only 12"});
  check_refused("a.ply", lying("ascii", "-1"), {"line 5", "'-1'"});
  check_refused(
      "a.ply",
      ply("binary_big_endian",
          "element face 888888888888\nproperty list uchar int i\n" + vertices(1, kXyzFloat), body),
      {"888888888888 rows of element 'face'"});
}

TEST_CASE("PLY counts from a pipe are believed only as bytes arrive", "[ply]") {
  const std::string elements = "element vertex 1000000000000\n" + kXyzFloat;
  const std::size_t all = std::size_t{1} << 60;
  check_error(
      [&] {
        read_pipe("a.ply", ply("binary_little_endian", elements, stored<float>({1, 2, 3})), {},
                  all);
      },
      ErrorKind::input, {"row 2 of 1000000000000 is truncated"});
  check_error([&] { read_pipe("a.ply", ply("ascii", elements, "1 2 3\n"), {}, all); },
              ErrorKind::input, {"after 1 of 1000000000000 rows"});
}

TEST_CASE("PLY files cut short are refused with the place", "[ply]") {
  const std::string elements = vertices(3, kXyzFloat);
  check_refused("a.ply", ply("ascii", elements, "1 2 3\n4 5 6"), {"3 vertices"});
  check_refused("a.ply", ply("ascii", elements, "1.00000 2 3\n4 5 6\n"), {"after 2 of 3 rows"});
  const std::string listed = vertices(2, kXyzFloat + "property list uchar int l\n");
  check_refused("a.ply", ply("ascii", listed, "1.00000 2 3 0\n"), {"line 12", "ends in row 2 of"});
  check_refused("a.ply",
                ply("binary_little_endian", listed,
                    stored<float>({1, 2, 3}) + stored<std::uint8_t>({200}) + std::string(100, 'i')),
                {"row 1 of the 2", "'vertex'"});
  check_error(
      [&] {
        read_pipe("a.ply", ply("binary_little_endian", elements, stored<float>({1, 2, 3, 4})));
      },
      ErrorKind::input, {"row 2 of 3", "truncated"});
}

TEST_CASE("PLY headers that are broken are refused with the line", "[ply]") {
  check_refused("a.ply", "plyx\n", {"line 1", "'ply'"});
  check_refused("a.ply", "ply\nformat ascii 1.0\n", {"line 3", "ends inside the header"});
  check_refused("a.ply", "ply\nformat utf8 1.0\n", {"line 2", "'utf8'"});
  check_refused("a.ply", "ply\nelement vertex 0\n" + kXyzFloat + "end_header\n",
                {"no 'format' line"});
  check_refused("a.ply", ply("ascii", "property float x\n", ""), {"precedes the first element"});
  check_refused("a.ply", ply("ascii", "element vertex\n", ""), {"a name and a count"});
  check_refused("a.ply", ply("ascii", "vertex 3\n", ""), {"unknown word 'vertex'"});
  check_refused("a.ply", ply("ascii", vertices(1, "property quad x\n"), ""),
                {"line 6", "unknown property type 'quad'"});
  check_refused("a.ply", ply("ascii", vertices(1, "property list float int x\n"), ""),
                {"integer type"});
  check_refused("a.ply", ply("ascii", vertices(1, "property float\n"), ""), {"a type and a name"});
  check_refused("a.ply", ply("ascii", "element face 0\nproperty list uchar int i\n", ""),
                {"no element 'vertex'"});
  check_refused("a.ply", ply("ascii", vertices(1, "property float x\nproperty float y\n"), "1 2\n"),
                {"no columns are named x, y and z", "it has 'x', 'y'"});
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "property float p\n";
  check_refused("a.ply", ply("ascii", vertices(1, many), ""), {"more than 4096"});
}

TEST_CASE("PLY rows that are broken are refused with the line", "[ply]") {
  check_refused("a.ply", ply("ascii", vertices(2, kXyzFloat), "1 2 3\n4 5\n6\n"),
                {"line 11", "it has 2 fields", "declares 3"});
  check_refused("a.ply", ply("ascii", vertices(1, kXyzFloat), "1 2 three\n"),
                {"line 10", "'three'", "column 3 (z)"});
  const std::string listed = vertices(1, "property list char int l\n" + kXyzFloat);
  check_refused("a.ply", ply("ascii", listed, "3 1 2 3\n"), {"line 11", "too few values"});
  check_refused("a.ply", ply("ascii", listed, "1 9 1 2 3 4\n"), {"line 11", "too many values"});
  check_refused("a.ply", ply("ascii", listed, "-1 9 1 2 3\n"), {"line 11", "length"});
  check_refused("a.ply", ply("ascii", listed, "1 9 1 2 q\n"), {"line 11", "'q' is not a number"});
  check_refused(
      "a.ply",
      ply("binary_little_endian", listed, stored<std::int8_t>({-1}) + stored<float>({1, 2, 3})),
      {"a list length is not a valid count"});
}

TEST_CASE("PLY scenes of Gaussian splats are read by their centres, and said to be", "[ply]") {
  std::string properties = kXyzFloat;
  for (const char* const name :
       {"f_dc_0", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"})
    properties.append("property float ").append(name).append("\n");
  const std::string bytes = ply("ascii", vertices(1, properties), "1 2 3 0 0 0 0 0 0 0 0 0\n");
  check_rows("a.ply", bytes, {1, 2, 3});
  CHECK_THAT(io::open_points(io::memory_source("a.ply", bytes), {})->columns().remark,
             Catch::Matchers::ContainsSubstring("only the centres"));
  const std::string plain = ply("ascii", vertices(1, kXyzFloat), "1 2 3\n");
  CHECK(io::open_points(io::memory_source("a.ply", plain), {})->columns().remark.empty());
}

TEST_CASE("PLY readers tell what they expect and where rows stand", "[ply]") {
  const std::string bytes = ply("binary_little_endian", vertices(3, kXyzFloat),
                                stored<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto reader = io::open_points(io::memory_source("a.ply", bytes), {});
  CHECK(reader->expected_rows() == 3);
  CHECK(reader->bytes_total() == bytes.size());
  Samples chunk;
  REQUIRE(reader->read(chunk, 2));
  REQUIRE(reader->read(chunk, 2));
  CHECK(chunk.size() == 1);
  CHECK(reader->place_of(0) == "row 3");
  CHECK(reader->bytes_read() == bytes.size());
  CHECK_FALSE(reader->read(chunk, 2));
}

}  // namespace skde::test
