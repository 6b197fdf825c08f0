#include <cmath>
#include <cstdlib>
#include <limits>

#include "io/reader_support.hpp"

namespace skde::test {

TEST_CASE("Text is read whatever stands between the fields", "[text]") {
  const std::vector<double> xyz{1, 2, 3, 4, -5.5, 6e2};
  check_rows("a.csv", "1,2,3\n4,-5.5,6e2\n", xyz);
  check_rows("a.csv", "1 , 2,\t3\n 4,-5.5 ,6e2", xyz);
  check_rows("a.csv", "1;2;3\r\n4;-5.5;6e2\r\n\r\n", xyz);
  check_rows("a.tsv", "1\t2\t3\n4\t-5.5\t6e2\n", xyz);
  check_rows("a.xyz", "  1 2\t 3\n4   -5.5 6e2  \n\n\n", xyz);
  check_rows("a.xyz", "1 2\t3\n4 -5.5\t6e2\n", xyz);
  check_rows("points", "1 2 3\n4 -5.5 6e2\n", xyz);
  check_rows("a.csv", "\xEF\xBB\xBFx,y,z\n1,2,3\n4,-5.5,6e2\n", xyz);
  check_rows("a.csv", "\"1\",\"2\",\"3\"\n4,-5.5,6e2\n", xyz, {{"1", "2", "3"}, ""});
}

TEST_CASE("Text of the S-KDE authors' program is read", "[text]") {
  check_rows(
      "sample-data",
      "# three normal variables\n0.613179531312331 -1.55072975714261 4.38166366824949\n"
      "-3.91565584819265\t4.51432534875579 \t4.38959664359019\n"
      "# a comment between\n\n6.38633624463779 7.16649741122087 15.6368107871919\n",
      {0.613179531312331, -1.55072975714261, 4.38166366824949, -3.91565584819265, 4.51432534875579,
       4.38959664359019, 6.38633624463779, 7.16649741122087, 15.6368107871919});
}

TEST_CASE("Text headers name the columns", "[text]") {
  const std::string quakes = "lat,long,depth,mag,stations\n-20.42,181.62,562,4.8,41\n";
  check_rows("quakes.csv", quakes, {181.62, -20.42, 562}, {{"long", "lat", "depth"}, "mag"}, {4.8});
  check_rows("quakes.csv", quakes, {181.62, -20.42, 562}, {{"LONG", "1", "Depth"}, ""});
  check_rows("quakes.csv", quakes, {181.62, -20.42, 562});
  check_rows("a.csv", "id,Z,Y,X\n9,3,2,1\n", {1, 2, 3});
  check_rows("a.csv", "\"the x\",\"a,b\",\"say \"\"z\"\"\"\n1,2,3\n", {3, 2, 1},
             {{"say \"z\"", "a,b", "the x"}, ""});
  check_rows("a.tsv", "Depth (m)\tx\ty\tz\n4\t1\t2\t3\n", {1, 2, 3}, {{}, "depth (m)"}, {4});
  check_rows("a.txt", "x y z 2020\n1 2 3 4\n", {1, 2, 3}, {{}, "2020"}, {4});
}

TEST_CASE("Text comments name the columns where they fit", "[text]") {
  check_rows("a.asc", "//Z,Y,X,Scalar field\n3,2,1,0.5\n", {1, 2, 3}, {{}, "Scalar field"}, {.5});
  check_rows("a.txt", "# made on Monday\n# z y x\n3 2 1\n", {1, 2, 3});
  check_rows("a.txt", "# z y\n1 2 3\n", {1, 2, 3});
  check_rows("a.txt", "# 9 8 7\n1 2 3\n", {1, 2, 3});
}

TEST_CASE("Text of MATLAB and Fortran is read", "[text]") {
  check_rows("a.txt", "% made on Monday\n% z y x\n3 2 1\n% between\n", {1, 2, 3});
  check_rows("a.txt", "%% 9 8 7\n1 2 3\n", {1, 2, 3});
  check_rows("a.txt", "1.5D+03 -2.5d-01 3.D0\n4 5.D0 +6D2\n", {1500, -0.25, 3, 4, 5, 600});
  check_rows("a.txt", "1D-400 1D400 0\n", {0, INFINITY, 0});
  check_refused("a.txt", "1 2 3\n1 2 D5\n", {"line 2", "'D5'"});
  check_refused("a.txt", "1 2 3\n1 2 5D\n", {"line 2", "'5D'"});
  check_refused("a.txt", "1 2 3\n1 2 5D3D\n", {"line 2", "'5D3D'"});
}

TEST_CASE("Text with thousands between commas is refused with what mends it", "[text]") {
  constexpr const char* kRemedy = "write thousands without commas";
  check_refused("a.csv", "x;y;z\n\"1,234.5\";2;3\n", {"line 2", "'1,234.5'", kRemedy});
  check_refused("a.csv", "1;2;3\n-1,234,567;2;3\n", {"line 2", kRemedy, "decimals with a point"});
  check_refused("a.csv", "\"1,234.5\";\"2,345\";\"3,456\"\n1;2;3\n", {"line 1", kRemedy});
  check_refused("a.txt", "1,234.5 1,000.1 1,000.2\n1,234.5 1,000.1 1,000.2\n", {kRemedy});
  check_refused("a.csv", "1;2;3\n1,5;2;3\n", {"line 2", "'1,5'", "write decimals with a point"});
  check_refused("a.csv", "1;2;3\n12,34.5;2;3\n", {"'12,34.5'", "write decimals with a point"});
  check_refused("a.csv", "1,2,3\n1,234.5,2,3\n", {"line 2", "write thousands without commas"});
}

TEST_CASE("Text tables of R are read", "[text]") {
  const std::string table = "\"lat\" \"long\" \"depth\"\n\"1\" -20.42 181.62 562\n";
  check_rows("a.txt", table, {181.62, -20.42, 562});
  check_rows("a.txt", table, {181.62, -20.42, 562}, {{"long", "lat", "depth"}, ""});
  check_rows("a.csv", "\"\",\"lat\",\"long\",\"depth\"\n\"1\",-20.42,181.62,562\n",
             {181.62, -20.42, 562});
}

TEST_CASE("Text columns of words are passed over", "[text]") {
  check_rows("a.csv", "site,lat,long,depth\nA,1,2,3\nB C,4,5,6\n", {2, 1, 3, 5, 4, 6});
  check_rows("a.txt", "H 1 2 3\nO 4 5 6\n", {1, 2, 3, 4, 5, 6});
}

TEST_CASE("Text numbers are read as doubles to the bit", "[text]") {
  check_rows("a.txt", "0.1 451234.56789012345 5e-324\n+1.5 1E3 -0.\n",
             {0.1, 451234.56789012345, 5e-324, 1.5, 1000, -0.0});
  const double inf = std::numeric_limits<double>::infinity();
  check_rows("a.txt", "inf -INF +Infinity\n1e999 -1e99999 1e-999\n-1e-99999 0.1e-310 9e400\n",
             {inf, -inf, inf, inf, -inf, 0, 0, 1e-311, inf});
  // Out of the range of any type: only the position of the first nonzero digit counts.
  const std::string zeros(6000, '0');
  check_rows("a.txt",
             "0." + zeros + "1 1" + zeros + "e-5 -1" + zeros + "\n0." + zeros + "1e6010 1" + zeros +
                 "e-6010 1e99999999999999999999\n",
             {0, inf, -inf, 1e9, 1e-10, inf});
  for (const char* missing : {"nan", "NaN", "-nan", "NA", "n/a", "#N/A", "null", ""}) {
    INFO(missing);
    const auto rows = read_bytes("a.csv", std::string("x,y,z\n1,2,3\n1,") + missing + ",3\n");
    REQUIRE(rows.xyz.size() == 6);
    CHECK(std::isnan(rows.xyz[4]));
    CHECK(rows.xyz[5] == 3);
  }
  check_refused("a.txt", "1 2 3\n1 +-2 3\n", {"line 2", "'+-2'"});
  check_refused("a.txt", "1 2 3\n1 0x10 3\n", {"'0x10'"});
  check_refused("a.csv", "1;2;3\n1;2,5;3\n", {"line 2", "'2,5'", "decimals with a point"});
  check_refused("a.csv", "1,2,3\n\"1\"5,2,3\n", {"line 2", "'\"1\"5'"});
}

TEST_CASE("Text rows tell the line they stand on", "[text]") {
  const std::string text = "# one\nx,y,z\n\n1,2,3\n4,5,6\n# two\n\n7,8,9\n1,1,1\n";
  const std::vector<std::string> lines{"line 4", "line 5", "line 8", "line 9"};
  CHECK(read_bytes("a.csv", text).places == lines);
  CHECK(read_bytes("a.csv", text, {}, 1).places == lines);
  CHECK(read_bytes("a.csv", text, {}, 3).places == lines);
}

TEST_CASE("Text rows of unequal length are refused with the line", "[text]") {
  check_refused("a.csv", "1,2,3\n4,5,6\n7,8\n",
                {"a.csv: line 3", "it has 2 fields", "line 1 has 3"});
  check_refused("a.csv", "x,y,z\n4,5,6,7\n", {"line 2", "it has 4 fields", "line 1 has 3 names"});
  check_refused("a.csv", "x,y,z\n1,2,3\n4,5,6,7,8\n",
                {"line 3", "it has 5 fields", "line 1 has 3"});
  check_refused("a.xyz", "# c\n1 2 3\n4 5 6 # seven\n1 2 3 4\n", {"line 4", "line 2 has 3"});
}

TEST_CASE("Text that holds no numbers where they belong is refused", "[text]") {
  check_refused("a.csv", "x,y,z\n1,2,3\n1,two,3\n", {"line 3", "'two'", "column 2 (y)"});
  check_refused("a.txt", "1 2 3\n1 2 3x\n", {"line 2", "'3x'", "column 3"});
  check_refused("a.txt", "1 2\n3 4\n", {"2 of its 2 columns", "`columns`"});
  check_refused("a.txt", "1 2 oops\n3 4 5\n", {"a.txt: line 1: 2 of its 3 columns hold numbers"});
  check_refused("a.txt", "# nothing\n\n// here\n", {"no row of numbers"});
  check_refused("a.csv", "x,y,z\n", {"no row of numbers"});
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += "1 2 3\n";
  check_refused("a.txt", rows + std::string("4 5\0 6\n", 7), {"line 201", "'5?'"});
  check_refused("a.txt", "1 2 3\n" + std::string(3000000, '4'), {"byte 6", "longer than 1 MiB"});
}

TEST_CASE("Text columns that are not there are named with those that are", "[text]") {
  const std::string text = "lat,long,depth\n1,2,3\n";
  check_error(
      [&] {
        read_bytes("q.csv", text, {{"lon", "lat", "depth"}, ""});
      },
      ErrorKind::usage,
      {"q.csv: there is no column 'lon'", "did you mean 'long'", "lat, long, depth"});
  check_error(
      [&] {
        read_bytes("q.csv", text, {{"1", "2", "4"}, ""});
      },
      ErrorKind::usage, {"no column '4'", "numbers 1 to 3"});
  check_error(
      [&] {
        read_bytes("q.csv", text, {{"1", "2", "0"}, ""});
      },
      ErrorKind::usage, {"no column '0'"});
  check_error(
      [&] {
        read_bytes("q.csv", text, {{"1", "2"}, ""});
      },
      ErrorKind::usage, {"three names or numbers", "got 2"});
  check_error(
      [&] {
        read_bytes("q.csv", text, {{"lat", "long", "1"}, ""});
      },
      ErrorKind::usage, {"column '1' is named twice"});
  check_error(
      [&] {
        read_bytes("q.csv", text, {{"", "long", "1"}, ""});
      },
      ErrorKind::usage, {"no column ''"});
}

TEST_CASE("Text of many rows is read in chunks of any size", "[text]") {
  std::string text = "x,y,z,w\n";
  std::vector<double> xyz, weights;
  for (int i = 0; i < 30000; ++i) {
    text += std::to_string(i) + "," + "-" + std::to_string(i) + ".5," + std::to_string(i) + "e-3," +
            std::to_string(i % 3) + "\n";
    xyz.insert(xyz.end(),
               {double(i), -(i + .5), std::strtod((std::to_string(i) + "e-3").c_str(), nullptr)});
    weights.push_back(i % 3);
  }
  check_rows("a.csv", text, xyz, {{}, "w"}, weights);
}

TEST_CASE("A line that counts the columns is a header over other rows", "[text]") {
  const std::vector<double> xyz{5.5, 2, 7, 3, -1.25, 4, 9, 8, 0.5};
  const std::string rows = "5.5,2.0,7.0\n3.0,-1.25,4.0\n9.0,8.0,0.5\n";
  check_rows("a.csv", "0,1,2\n" + rows, xyz);
  check_rows("a.csv", "1,2,3\n" + rows, xyz);
  check_rows("a.csv", "0,1,2\n5,2,7\n3,1,4\n9,8,5\n", {5, 2, 7, 3, 1, 4, 9, 8, 5});
  const std::string numbered = ",0,1,2\n0,5.5,2.0,7.0\n1,3.0,-1.25,4.0\n2,9.0,8.0,0.5\n";
  check_rows("a.csv", numbered, xyz);
  check_rows("a.csv", numbered, xyz, {{"2", "3", "4"}, ""});
  check_rows("a.txt", "0 1 2\n0 5.5 2.0 7.0\n1 3.0 -1.25 4.0\n2 9.0 8.0 0.5\n", xyz);
  const io::ReadColumns read = io::open_points(io::memory_source("a.csv", numbered), {})->columns();
  CHECK(read.remark == "line 1 counts the columns; column 1 numbers the rows and is left out");
  CHECK(read.xyz[0].number == 2);
  // What pandas writes of columns that were chosen, moved or joined.
  for (const char* const names :
       {",0,1,3", ",2,1,0", ",7,5,6", "index,0,1,2", ",0.0,1.0,2.0", "i,10,20,30"})
    check_rows("a.csv", names + numbered.substr(numbered.find('\n')), xyz);
  check_rows("a.csv", "0,1,3\n5.5,2.5,7.5\n3.0,-1.25,4.0\n9.5,8.0,0.5\n",
             {5.5, 2.5, 7.5, 3, -1.25, 4, 9.5, 8, 0.5});
  check_rows("a.csv", ",,0,1,2\n1,0,5.5,2.0,7.0\n1,1,3.0,-1.25,4.0\n2,0,9.0,8.0,0.5\n", xyz);
  check_rows("a.csv", ",0,1,2\na,5.5,2.0,7.0\nb,3.0,-1.25,4.0\nc,9.0,8.0,0.5\n", xyz);
  // Rows that go on like that, or differ by little, are rows.
  check_rows("a.csv", "oak,0,1,2\nelm,3,4.5,5\nfir,6,7,8\n", {0, 1, 2, 3, 4.5, 5, 6, 7, 8});
  check_rows("a.csv", "5,7,9\n2.5,5.25,1.5\n7.5,7.5,7.5\n4.5,0.5,4.5\n",
             {5, 7, 9, 2.5, 5.25, 1.5, 7.5, 7.5, 7.5, 4.5, 0.5, 4.5});
  check_rows("a.csv", "0,1,2\n3,4,5\n6,7,8\n9,10,11\n", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_rows("a.csv", "1,2,3\n2,5,1\n7,7,7\n4,0,4\n", {1, 2, 3, 2, 5, 1, 7, 7, 7, 4, 0, 4});
  check_rows("a.csv", "0,0,0\n0,0,1\n0,1,0\n", {0, 0, 0, 0, 0, 1, 0, 1, 0});
}

TEST_CASE("A quotation mark that is not closed is a character", "[text]") {
  check_rows("a.tsv",
             "place\tx\ty\tz\n\"Cerro\t1\t2\t3\n\"El Sol\" ranch\t4\t5\t6\n\"a \"b\" c\t7\t8\t9\n",
             {1, 2, 3, 4, 5, 6, 7, 8, 9});
  check_rows("a.csv", "x,y,z,size\n1,2,3,\"5\n4,5,6,\"6, about\"\n", {1, 2, 3, 4, 5, 6});
  check_rows("a.txt", "\"5 1 2 3\n\"six feet\" 4 5 6\n", {1, 2, 3, 4, 5, 6});
}

TEST_CASE("Bars separate fields, and drawn lines below names are passed over", "[text]") {
  check_rows("a.txt", "x|y|z\n1|2|3\n4|5|6\n", {1, 2, 3, 4, 5, 6});
  check_rows("a.txt", " name | x | y | z\n------+---+---+---\n a b  | 1 | 2 | 3\n", {1, 2, 3});
  check_rows("a.txt", "|x|y|z|\n|--|--|--|\n|1|2|3|\n", {1, 2, 3});
}

TEST_CASE("A line of units below the names gives the columns their units", "[text]") {
  for (const char* const units :
       {"(nm),(nm),(nm),", "nm,nm,nm,photons", "[nm],[nm],[nm],[photon]"}) {
    INFO(units);
    const std::string text = std::string("x,y,z,n\n") + units + "\n1,2,3,4\n";
    check_rows("a.csv", text, {1, 2, 3});
    const io::ReadColumns read = io::open_points(io::memory_source("a.csv", text), {})->columns();
    CHECK(read.units() == "nm");
    CHECK(read.xyz[0].quantity == "x");
    CHECK(read.remark == "units are below line 1");
  }
  check_refused("a.csv", "x,y,z\none,two,three\n1,2,3\n", {"line 2", "'one'"});
}

TEST_CASE("A text of three rows asks which way it lies", "[text]") {
  const std::string text = "1 2 3 4 5\n6 7 8 9 10\n11 12 13 14 15\n";
  check_refused(
      "a.txt", text,
      {"3 rows of 5 numbers are ambiguous: 3 samples, or x, y and z in rows", "[columns]"});
  check_refused("a.txt", "# by NumPy\n" + text + "\n# end\n", {"ambiguous"});
  check_rows("a.txt", text, {1, 2, 3, 6, 7, 8, 11, 12, 13}, {{"1", "2", "3"}, ""});
  check_rows("a.txt", "1 2 3\n4 5 6\n7 8 9\n", {1, 2, 3, 4, 5, 6, 7, 8, 9});
  check_rows("a.pts", "3\n" + text, {1, 2, 3, 6, 7, 8, 11, 12, 13});
  check_rows("a.txt", text + "16 17 18 19 20\n", {1, 2, 3, 6, 7, 8, 11, 12, 13, 16, 17, 18});
}

TEST_CASE("Lines below the header that are taken for comments are counted", "[text]") {
  for (const char* const mark : {"#", "%", "//"}) {
    const std::string text =
        fmt::format("# above\nname,x,y,z\nA,1,2,3\n{0}B,4,5,6\nC,7,8,9\n{0}D,1,1,1\n", mark);
    const TemporaryFile file("a.csv", text);
    CHECK(load({file.path()}).counts.comments == 2);
    io::ColumnSelection columns;
    columns.where = "x > 1";
    CHECK(load({file.path()}, columns).counts.comments == 2);
    io::CloudStream pieces({file.path()}, {}, io::NonFinite::drop,
                           {.threads = 3, .piece_bytes = 8});
    NoProgress silent;
    CHECK(io::load_cloud(pieces, 100, silent).counts.comments == 2);
  }
}

}  // namespace skde::test
