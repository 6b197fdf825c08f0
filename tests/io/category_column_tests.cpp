// Categories of samples from columns of text and of numbers, compared with the contents of the
// files.

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/points/cloud_stream.hpp"
#include "reader_support.hpp"
#include "support/catch.hpp"

namespace skde::test {
namespace {

io::ColumnSelection by(const std::string& column) {
  io::ColumnSelection selection;
  selection.category = column;
  return selection;
}

/// Returns "x:category" for every sample.
std::vector<std::string> samples_in(const std::vector<std::string>& paths,
                                    const io::ColumnSelection& columns) {
  io::CloudStream stream(paths, columns, io::NonFinite::drop);
  NoProgress silent;
  Samples chunk;
  std::vector<std::string> found;
  while (stream.read(chunk, 2, silent)) {
    REQUIRE(chunk.categories.size() == chunk.size());
    for (std::size_t i = 0; i < chunk.size(); ++i)
      found.push_back(
          fmt::format("{}:{}", chunk.xyz[3 * i], stream.categories().name(chunk.categories[i])));
  }
  return found;
}

std::vector<std::string> samples_in(const std::string& name, std::string_view bytes,
                                    const io::ColumnSelection& columns) {
  const TemporaryFile file(name, bytes);
  return samples_in({file.path()}, columns);
}

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("Texts and numbers of a table are categories", "[by]") {
  const std::string table =
      "x,y,z,kind,label\n1,0,0,red cell,3\n2,0,0,\"a, b\",-1\n3,0,0,,3\nnan,0,0,lost,8\n4,0,0,red "
      "cell,0.5\n";
  CHECK(samples_in("a.csv", table, by("kind")) ==
        Found{"1:red cell", "2:a, b", "3:(empty)", "4:red cell"});
  CHECK(samples_in("a.csv", table, by("5")) == Found{"1:3", "2:-1", "3:3", "4:0.5"});
  CHECK(samples_in("a.xyz", "1 2 3 a\n4 5 6 b\n", by("4")) == Found{"1:a", "4:b"});
  CHECK(samples_in("a.xyz", "1 2 3 1.0\n2 3 4 1\n3 4 5 -2.\n4 5 6 01\n5 6 7 1.5\n6 7 8 1.0.0\n",
                   by("4")) == Found{"1:1", "2:1", "3:-2", "4:01", "5:1.5", "6:1.0.0"});
  check_error([&] { samples_in("a.csv", table, by("kinds")); }, ErrorKind::usage,
              {"'kinds'", "kind", "[by]"});
}

TEST_CASE("Categories go with weights and widths", "[by]") {
  const TemporaryFile file("a.csv", "x,y,z,kind,w,h\n1,0,0,a,2,3\n2,0,0,b,0,3\n3,0,0,a,4,5\n");
  io::ColumnSelection columns = by("kind");
  columns.weight = "w";
  columns.widths = {"h"};
  columns.width_form = io::WidthForm::factor;
  io::CloudStream stream({file.path()}, columns, io::NonFinite::drop);
  NoProgress silent;
  Samples chunk;
  REQUIRE(stream.read(chunk, 10, silent));
  CHECK(chunk.xyz == std::vector<double>{1, 0, 0, 3, 0, 0});
  CHECK(chunk.weights == std::vector<double>{2, 4});
  CHECK(chunk.bandwidth_factors == std::vector<double>{3, 5});
  CHECK(chunk.categories == std::vector<std::uint32_t>{0, 0});
  CHECK(stream.categories().rows(1) == 1);
  REQUIRE(stream.columns().category.has_value());
  CHECK(stream.columns().category->name == "kind");
}

TEST_CASE("Numbers of binary records are categories, across files", "[by]") {
  const auto header = [](const char* form) {
    return fmt::format(
        "ply\nformat {} 1.0\nelement vertex 2\nproperty double x\nproperty double y\nproperty "
        "double z\nproperty {} label\nend_header\n",
        form, "int");
  };
  const std::string binary = header("binary_little_endian") + stored<double>({1, 0, 0}) +
                             stored<std::int32_t>({7}) + stored<double>({2, 0, 0}) +
                             stored<std::int32_t>({-7});
  CHECK(samples_in("a.ply", binary, by("label")) == Found{"1:7", "2:-7"});
  const std::string ascii = header("ascii") + "3 0 0 -7\n4 0 0 9\n";
  CHECK(samples_in("a.ply", ascii, by("label")) == Found{"3:-7", "4:9"});
  const TemporaryFile first("a.ply", binary), second("b.ply", ascii);
  CHECK(samples_in({first.path(), second.path()}, by("label")) ==
        Found{"1:7", "2:-7", "3:-7", "4:9"});
  const std::string pcd =
      "VERSION .7\nFIELDS x y z label\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT "
      "1\nPOINTS 2\nDATA ";
  CHECK(samples_in("a.pcd", pcd + "ascii\n1 0 0 4\n2 0 0 5\n", by("label")) == Found{"1:4", "2:5"});
  CHECK(samples_in("a.pcd",
                   fmt::format("{}binary\n{}\4{}\5", pcd, stored<float>({1, 0, 0}),
                               stored<float>({2, 0, 0})),
                   by("label")) == Found{"1:4", "2:5"});
}

TEST_CASE("Categories beside lists are read", "[by]") {
  const std::string lists =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nproperty float r\nproperty list uchar int k\nend_header\n1 0 0 4 1 5\n"
      "2 0 0 5 2 8 9\n";
  CHECK(samples_in("a.ply", lists, by("r")) == Found{"1:4", "2:5"});
}

TEST_CASE("A number has one name however it is stored, and none of the rows is lost", "[by]") {
  io::CategoryNames names;
  CHECK(names.of(0.0) == names.of(-0.0));
  CHECK(names.of(3.0) == names.of("3"));
  CHECK(names.of(std::nan("")) == names.of("nan"));
  CHECK(names.of("") == names.of("(empty)"));
  CHECK(names.size() == 4);
  CHECK(names.rows() == 8);
  CHECK(names.commonest() == "'0' (2), '3' (2), 'nan' (2), '(empty)' (2)");
}

}  // namespace skde::test
