#include <cmath>

#include "io/reader_support.hpp"

namespace skde::test {
namespace {

struct Header {
  std::string fields = "x y z intensity", size = "4 4 4 4", type = "F F F F", count = "1 1 1 1";
  std::string width = "2", height = "1", points = "2";
};

std::string pcd(const Header& h, const std::string& data, const std::string& body) {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS " + h.fields + "\nSIZE " +
         h.size + "\nTYPE " + h.type + "\nCOUNT " + h.count + "\nWIDTH " + h.width + "\nHEIGHT " +
         h.height + "\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + h.points + "\nDATA " + data + "\n" +
         body;
}

}  // namespace

TEST_CASE("PCD text and binary give the same points and weights", "[pcd]") {
  const io::ColumnSelection weighted{{}, "intensity"};
  check_rows("a.pcd", pcd({}, "ascii", "1 2 3 .5\n4 5.25 6 1\n\n"), {1, 2, 3, 4, 5.25, 6}, weighted,
             {.5, 1});
  check_rows("a.pcd", pcd({}, "binary", stored<float>({1, 2, 3, .5, 4, 5.25, 6, 1})),
             {1, 2, 3, 4, 5.25, 6}, weighted, {.5, 1});
  check_rows("a.pcd", pcd({}, "ascii", "1 2 3 .5\n4 5.25 6 1\n"), {1, 2, 3, 4, 5.25, 6});
}

TEST_CASE("PCD sizes, types, counts and padding place the columns", "[pcd]") {
  const Header header{
      "_ x normal y _ z n", "1 8 4 2 1 8 4", "U F F I U I U", "3 1 3 1 2 1 1", "1", "1", "1"};
  const io::ColumnSelection weighted{{}, "N"};
  check_rows(
      "a.pcd",
      pcd(header, "binary",
          "abc" + stored<double>({0.1}) + stored<float>({7, 8, 9}) + stored<std::int16_t>({-2}) +
              "de" + stored<std::int64_t>({-3}) + stored<std::uint32_t>({4000000000.0})),
      {0.1, -2, -3}, weighted, {4000000000.0});
  check_rows("a.pcd", pcd(header, "ascii", "0 0 0 0.1 7 8 9 -2 0 0 -3 4\n"), {0.1, -2, -3},
             weighted, {4});
  check_rows("a.pcd", pcd(header, "ascii", "0 0 0 0.1 7 8 9 -2 0 0 -3 4\n"), {4, -3, -2},
             {{"4", "3", "2"}, ""});
}

TEST_CASE("PCD without COUNT, WIDTH and HEIGHT and of version 0.5 is read", "[pcd]") {
  check_rows("a.pcd",
             "# .PCD v.5\nVERSION .5\nCOLUMNS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n"
             "1 2 3\n",
             {1, 2, 3});
  check_rows("cloud",
             "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nDATA ascii\n"
             "1 2 3\n",
             {1, 2, 3});
}

TEST_CASE("PCD passes nan on", "[pcd]") {
  const auto rows = read_bytes("a.pcd", pcd({}, "ascii", "nan nan nan 1\n4 5 6 1\n"));
  REQUIRE(rows.xyz.size() == 6);
  CHECK(std::isnan(rows.xyz[0]));
  CHECK(rows.xyz[3] == 4);
  CHECK(rows.places == std::vector<std::string>{"line 12", "line 13"});
}

TEST_CASE("PCD whose packed size is not that of its points is refused", "[pcd]") {
  check_refused("a.pcd", pcd({}, "binary_compressed", "12345678"),
                {"a.pcd: 2 points of 16 bytes differ from the", "that are compressed"});
}

TEST_CASE("PCD headers that lie are refused", "[pcd]") {
  Header lying;
  lying.points = lying.width = "1000000000000";
  check_refused("a.pcd", pcd(lying, "binary", stored<float>({1, 2, 3, 4})),
                {"1000000000000 rows", "only 16 bytes"});
  check_refused("a.pcd", pcd(lying, "ascii", "1 2 3 4\n"), {"1000000000000 points"});
  lying.points = lying.width = "18446744073709551615";
  check_refused("a.pcd", pcd(lying, "binary", ""), {"more than any file can hold"});
  lying.height = "4294967296";
  check_refused("a.pcd", pcd(lying, "binary", ""), {"WIDTH times HEIGHT"});
  check_refused("a.pcd", pcd({.points = "3"}, "ascii", ""), {"POINTS is 3", "is 2"});
  check_refused("a.pcd", pcd({.count = "1 1 1 99999999999"}, "ascii", ""), {"1048576 values"});
  check_refused("a.pcd", pcd({.count = "1 1 1"}, "ascii", ""), {"4, 4, 4 and 3 fields"});
  check_refused("a.pcd", pcd({.size = "4 4 4 3"}, "ascii", ""),
                {"unknown type of field 'intensity'", "SIZE 3"});
  check_refused("a.pcd", pcd({.type = "F F Q F"}, "ascii", ""), {"'z'", "'Q'"});
  check_refused("a.pcd", pcd({.width = "two"}, "ascii", ""), {"line 7", "'two'"});
  check_refused("a.pcd", pcd({}, "zip", ""), {"line 11", "'zip'"});
  check_refused("a.pcd", "# .PCD v0.7\nFELDER x y z\n", {"line 2", "unknown word 'FELDER'"});
  check_refused("a.pcd", "# .PCD v0.7\nFIELDS x y z\n", {"ends inside the header"});
  check_refused("a.pcd", "# .PCD v0.7\nDATA ascii\n", {"no FIELDS line"});
  check_refused("a.pcd", "# .PCD v0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nDATA ascii\n",
                {"no POINTS line"});
}

TEST_CASE("PCD with too few, too many or broken rows is refused", "[pcd]") {
  check_refused("a.pcd", pcd({}, "ascii", "1 2 3.000000000 4\n"), {"line 12", "1 of 2 rows"});
  check_refused("a.pcd", pcd({}, "ascii", "1 2 3 4\n1 2 3 4\n1 2 3 4\n"),
                {"line 14", "more rows than the 2"});
  check_refused("a.pcd", pcd({}, "ascii", "1 2 3 4\n1 2 3 4 5\n"),
                {"line 13", "it has 5 fields", "declares 4"});
  check_refused("a.pcd", pcd({}, "binary", stored<float>({1, 2, 3, 4, 5, 6, 7, 8, 9})),
                {"bytes follow the 2 rows"});
  check_error(
      [&] {
        read_pipe("a.pcd", pcd({}, "binary", stored<float>({1, 2, 3, 4, 5})));
      },
      ErrorKind::input, {"row 2 of 2", "truncated"});
}

}  // namespace skde::test
