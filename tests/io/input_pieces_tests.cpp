#include "io/points/input_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "core/cloud/synthetic_cloud.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/point_writer.hpp"
#include "io/reader_support.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

using io::NonFinite;

constexpr std::size_t kRows = 5000;

struct Cloud {
  Samples points;
  io::CloudCounts counts;
};

Cloud read_all(const std::string& path, const io::ColumnSelection& columns,
               const io::ReadingPlan& plan, NonFinite non_finite = NonFinite::drop,
               std::size_t most = 700) {
  io::CloudStream stream({path}, columns, non_finite, plan);
  NoProgress silent;
  Cloud cloud;
  Samples chunk;
  while (stream.read(chunk, most, silent)) {
    REQUIRE(chunk.size() <= most);
    append_samples(cloud.points, chunk.view());
  }
  cloud.counts = stream.counts();
  return cloud;
}

io::ReadingPlan in_pieces(io::CloudPart part = {}) { return {part, 3, 1000}; }
io::ReadingPlan by_one(io::CloudPart part = {}) { return {part, 1, 1000}; }

void check_same(const Cloud& a, const Cloud& b) {
  CHECK(a.points.xyz == b.points.xyz);
  CHECK(a.points.weights == b.points.weights);
  CHECK(a.counts.rows == b.counts.rows);
  CHECK(a.counts.non_finite == b.counts.non_finite);
  CHECK(a.counts.zero_weight == b.counts.zero_weight);
}

std::string header_of_npy(const std::string& entries) {
  std::string text = entries + std::string(117 - entries.size(), ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + text;
}

/// Returns rows of x, y, z and a weight, some of which are not usable samples.
std::vector<double> rows_with_holes() {
  const Samples cloud = make_five_gaussians(1, 0, kRows);
  std::vector<double> rows;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t a = 0; a < 3; ++a)
      rows.push_back(i % 97 == 5 && a == 1 ? NAN : cloud.xyz[3 * i + a]);
    rows.push_back(i % 31 == 3 ? 0 : static_cast<double>(i % 5) + 0.5);
  }
  return rows;
}

/// Writes the same rows in every format that can be read in pieces.
std::vector<std::string> write_files(const TemporaryFolder& folder) {
  const std::vector<double> rows = rows_with_holes();
  std::vector<std::string> paths;
  for (const char* name : {"a.ply", "a.npy", "a.csv", "a.xyz"}) {
    paths.push_back(folder.path(name));
    io::PointWriter writer(paths.back(), kRows, {"x", "y", "z", "w"});
    writer.write(rows);
    writer.finish();
  }
  std::vector<double> columns(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) columns[i % 4 * kRows + i / 4] = rows[i];
  const auto bytes = [](const std::vector<double>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  };
  paths.push_back(
      folder.file("fortran.npy",
                  header_of_npy("{'descr': '<f8', 'fortran_order': True, 'shape': (5000, 4), }") +
                      bytes(columns)));
  paths.push_back(folder.file(
      "a.pcd",
      "VERSION .7\nFIELDS x y z w\nSIZE 8 8 8 8\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 5000\n"
      "HEIGHT 1\nPOINTS 5000\nDATA binary\n" +
          bytes(rows)));
  // Comments, blank lines, and line ends of another system.
  std::string text = "# made by hand\r\nx;y;z;w\r\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i % 40 == 0) text += "# a comment; of some length\r\n\r\n";
    text += fmt::format("{};{};{};{}\r\n", rows[4 * i], rows[4 * i + 1], rows[4 * i + 2],
                        rows[4 * i + 3]);
  }
  text.resize(text.size() - 2);  // the last line has no line end
  paths.push_back(folder.file("b.csv", text));
  std::erase(text, '\n');
  paths.push_back(folder.file("cr.csv", text));
  return paths;
}

}  // namespace

TEST_CASE("Threads read the same samples in the same order as one", "[pieces]") {
  const TemporaryFolder folder;
  for (const std::string& path : write_files(folder)) {
    INFO(path);
    const bool named = path.find("npy") == path.npos && path.find("xyz") == path.npos;
    const io::ColumnSelection columns{{}, named ? "w" : "4"};
    const Cloud one = read_all(path, columns, by_one());
    CHECK(one.counts.rows == kRows);
    CHECK(one.counts.zero_weight > 0);
    check_same(read_all(path, columns, in_pieces()), one);
    check_same(read_all(path, columns, in_pieces(), NonFinite::drop, 1u << 30), one);
    check_same(read_all(path, {}, in_pieces()), read_all(path, {}, by_one()));
  }
}

TEST_CASE("Parts of a file hold each of its rows once, in its order", "[pieces]") {
  const TemporaryFolder folder;
  std::vector<std::string> paths = write_files(folder);
  std::string promised = "5000\n";  // rows whose position only the rows before determine
  const std::vector<double> rows = rows_with_holes();
  for (std::size_t i = 0; i < kRows; ++i)
    promised += fmt::format("{} {} {} {}\n", rows[4 * i], i, i % 7, rows[4 * i + 3]);
  paths.push_back(folder.file("promised.xyz", promised));
  for (const std::string& path : paths) {
    INFO(path);
    const Cloud whole = read_all(path, {}, by_one());
    const bool counted = path.ends_with("promised.xyz");
    for (const std::uint64_t parts : {2, 3, 7}) {
      Cloud all;
      for (std::uint64_t part = 0; part < parts; ++part) {
        const Cloud one = read_all(path, {}, by_one({part, parts}));
        check_same(read_all(path, {}, in_pieces({part, parts})), one);
        append_samples(all.points, one.points.view());
        all.counts += one.counts;
        if (!counted) CHECK(one.counts.rows >= kRows / parts / 2);
      }
      CHECK(all.counts.rows == whole.counts.rows);
      CHECK(all.points.size() == whole.points.size());
      if (!counted) check_same(all, whole);
    }
  }
}

TEST_CASE("Threads tell the error that one would", "[pieces]") {
  const TemporaryFolder folder;
  const auto lines = [](std::size_t bad, const std::string& text) {
    std::string all = "x,y,z,w\n";
    for (std::size_t i = 2; i <= 4000; ++i)
      all += i == bad || i == bad + 900 ? text + "\n" : "1.25,2.5,3,1\n";
    return all;
  };
  for (const std::size_t bad : {3, 1800, 3000})
    for (const char* text : {"1,2,three,1", "1,2,3", "1,2,3,-1", "1,nan,3,1"}) {
      const std::string path = folder.file("bad.csv", lines(bad, text));
      const auto message = [&](const io::ReadingPlan& plan, std::size_t most) {
        return std::string(thrown_error([&] {
                             read_all(path, {{}, "w"}, plan, NonFinite::error, most);
                           }).what());
      };
      const std::string expected = message(by_one(), 700);
      INFO(expected);
      CHECK(expected.find(fmt::format("line {}:", bad)) != expected.npos);
      CHECK(message(in_pieces(), 700) == expected);
      CHECK(message(by_one(), 1u << 20) == expected);
    }
  // Of two errors the first one is reported, even if the second is of another kind.
  const std::string path = folder.file("two.csv", lines(1500, "1,2,3,-1") + "1,2,3\n");
  for (const io::ReadingPlan& plan : {by_one(), in_pieces()})
    CHECK(says(thrown_error([&] { read_all(path, {{}, "w"}, plan); }), "line 1500:"));
}

TEST_CASE("Callers read pieces from threads of their own into memory of their own", "[pieces]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npy");
  const Samples cloud = make_five_gaussians(1, 0, kRows);
  io::PointWriter writer(path, kRows);
  writer.write(cloud.view());
  writer.finish();
  const auto reader = io::open_points(path, {});
  const auto pieces = io::InputPieces::cut(path, {}, NonFinite::drop, *reader, {}, 10000);
  REQUIRE(pieces);
  REQUIRE(pieces->size() > 10);
  std::vector<Samples> found(pieces->size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < pieces->size(); i += 4) pieces->read(i, found[i]);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  for (const auto& piece : found) all.insert(all.end(), piece.xyz.begin(), piece.xyz.end());
  CHECK(all == cloud.xyz);
}

TEST_CASE("Rows of x, y and z alone are read to where the caller wants them", "[pieces]") {
  const TemporaryFolder folder;
  for (const std::string& path : write_files(folder)) {
    INFO(path);
    const Cloud one = read_all(path, {}, by_one());
    const auto reader = io::open_points(path, {});
    for (const io::CloudPart part : {io::CloudPart{}, io::CloudPart{1, 3}}) {
      const auto pieces = io::InputPieces::cut(path, {}, NonFinite::drop, *reader, part, 10000);
      REQUIRE(pieces);
      const bool known = reader->bare_rows().has_value();
      CHECK(known == (path.find("a.npy") != path.npos || path.find("a.p") != path.npos));
      for (std::size_t i = 0; i < pieces->size(); ++i) {
        Samples expected;
        const io::CloudCounts counts = pieces->read(i, expected);
        CHECK(pieces->bare_rows(i) == (known ? counts.rows : 0));
        std::vector<double> xyz(3 * pieces->bare_rows(i));
        const io::CloudCounts found = pieces->read_bare(i, xyz);
        CHECK(found.rows == xyz.size() / 3);
        CHECK(found.samples() == (known ? expected.size() : 0));
        xyz.resize(3 * found.samples());
        if (known) CHECK(xyz == expected.xyz);
      }
    }
    const io::ColumnSelection weighted{{}, "4"};
    const auto heavy = io::open_points(folder.path("a.npy"), weighted);
    CHECK_FALSE(heavy->bare_rows());
  }
}

TEST_CASE("What is read once alone is not cut", "[pieces]") {
  const std::string text = "1 2 3\n4 5 6\n7 8 10\n";
  const auto piped = io::open_points(std::make_unique<PipeSource>("pipe", text), {});
  CHECK_FALSE(io::InputPieces::cut("pipe", {}, NonFinite::drop, *piped, {}, 4));
  CHECK_FALSE(piped->choose_part(0, 2));
}

}  // namespace skde::test
