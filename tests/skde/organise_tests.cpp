#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/cloud/counter_random.hpp"
#include "io/points/point_table.hpp"
#include "program_run.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Rows of x, y, z, a weight and a value.
std::string random_rows(int count) {
  std::string rows = "x,y,z,w,heat\n";
  Draws draws = CounterRandom(5, 0).at(0);
  for (int i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) rows += fmt::format("{},", draws.uniform());
    rows += fmt::format("{},{}\n", i, draws.uniform(100, 200));
  }
  return rows;
}

/// The rows of a table, sorted.
std::vector<std::vector<double>> sorted_rows(const io::PointTable& table) {
  std::vector<std::vector<double>> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rows.emplace_back();
    for (std::size_t column = 0; column < table.names.size(); ++column)
      rows.back().push_back(table.at(row, column));
  }
  std::ranges::sort(rows);
  return rows;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

nlohmann::json organised(const Arguments& arguments) {
  const RunResult run =
      run_skde(Arguments{"organise"} + arguments + words("--json --quiet --engine cpu"));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return nlohmann::json::parse(run.out);
}

}  // namespace

TEST_CASE("organise writes the same rows, and neighbours are nearer than in Morton order") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", random_rows(410));
  const io::PointTable given = io::read_point_table(cloud, {}, silent);
  for (const char* const extension : {"csv", "ply", "xyz", "npy"}) {
    INFO(extension);
    const std::string out = folder.path(fmt::format("o.{}", extension));
    const nlohmann::json summary = organised({cloud, "-o", out});
    CHECK(summary["rows"] == 410);
    CHECK(summary["pruned"] == 0);
    CHECK(summary["columns"] == nlohmann::json({"x", "y", "z"}));
    CHECK(summary["grid"] == nlohmann::json({{"width", 21}, {"height", 20}}));
    for (const char* const quality : {"distance", "variance"}) {
      CHECK(summary["after"][quality] < summary["morton"][quality]);
      CHECK(summary["morton"][quality] < summary["before"][quality]);
    }
    const io::PointTable written = io::read_point_table(out, {}, silent);
    CHECK(sorted_rows(written) == sorted_rows(given));
    CHECK(written.values != given.values);
  }
  CHECK_THAT(text_of(folder.path("o.csv")),
             Catch::Matchers::StartsWith("# grid_width 21\n# grid_height 20\n"));
  CHECK_THAT(text_of(folder.path("o.ply")), ContainsSubstring("comment grid_width 21\n"));
  CHECK(nlohmann::json::parse(text_of(folder.path("o.npy.json")))["grid_height"] == 20);
}

TEST_CASE("organise repeats with the seed, and compares by further columns") {
  const TemporaryFolder folder;
  folder.file("c.csv", random_rows(300));
  const auto rows = [&](const Arguments& flags) {
    const nlohmann::json summary = organised(in(folder, "@c.csv -o @o.csv") + flags);
    return std::pair(io::read_point_table(folder.path("o.csv"), {}, silent).values,
                     summary["columns"]);
  };
  const auto first = rows({}).first;
  CHECK(rows({"--threads", "1"}).first == first);
  CHECK(rows({"--threads", "2"}).first == first);
  CHECK(rows({"--seed", "2"}).first != first);
  CHECK(rows({"--with", "heat"}).second == nlohmann::json({"x", "y", "z", "heat"}));
  CHECK(rows({"--weights", "w"}).second == nlohmann::json({"x", "y", "z", "w"}));
  CHECK(rows({"--with", "all"}).second == nlohmann::json({"x", "y", "z", "w", "heat"}));
  CHECK(rows({"--columns", "x,y,heat"}).second == nlohmann::json({"x", "y", "heat"}));
}

TEST_CASE("organise leaves out the rows of least weight") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", random_rows(115)), out = folder.path("o.csv");
  const nlohmann::json summary = organised({cloud, "--weights", "w", "--prune", "-o", out});
  CHECK(summary["rows"] == 110);
  CHECK(summary["pruned"] == 5);
  CHECK(summary["grid"] == nlohmann::json({{"width", 11}, {"height", 10}}));
  const io::PointTable written = io::read_point_table(out, {}, silent);
  double least = 1e9;
  for (std::size_t row = 0; row < written.rows(); ++row)
    least = std::min(least, written.at(row, 3));
  CHECK(least == 5);  // weights are 0, 1, 2, ...
}

TEST_CASE("organise writes a picture of 16 bits of each column") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", random_rows(90));
  const nlohmann::json summary = organised({cloud, "-o", folder.path("p_{}.png")});
  REQUIRE(summary["planes"].size() == 5);
  CHECK(summary["planes"][3] == nlohmann::json({{"column", "w"}, {"low", 0}, {"high", 89}}));
  CHECK(summary["written"][4]["path"] == folder.path("p_heat.png"));
  const std::string png = text_of(folder.path("p_w.png"));
  CHECK(png.substr(0, 16) == std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  CHECK(png.substr(16, 13) == std::string("\0\0\0\x0a\0\0\0\x09\x10\0\0\0\0", 13));
  CHECK_THAT(png, ContainsSubstring(std::string("tEXthigh\0"
                                                "89",
                                                11)));
}

TEST_CASE("organise refuses what it cannot do") {
  const TemporaryFolder folder;
  folder.file("c.csv", random_rows(9));
  const std::string out = folder.path("o.csv"),
                    broken = folder.file("b.csv", "x,y,z,w\n1,2,3,1\n4,nan,6,1\n7,8,9,-1\n");
  check_refused(folder, "organise @c.csv", 2, {"-o"});
  check_refused(folder, "organise -o @o.csv", 2, {"one file"});
  check_refused(folder, "organise @c.csv -o @o.obj", 2, {"o.obj", ".ply"});
  check_refused(folder, "organise @c.csv -o @o.png", 2, {"o.png", "{}"});
  check_refused(folder, "organise @c.csv -o @c.csv", 2, {"c.csv"});
  check_refused(folder, "organise @c.csv -o @o.csv --prune", 2, {"--prune", "--weights"});
  check_refused(folder, "organise @c.csv -o @o.csv --with cold", 2, {"cold"});
  check_refused(folder, "organise @b.csv -o @o.csv", 3, {"b.csv", "row 2", "'y'", "--where"});
  check_failure(run_skde({"organise", broken, "-o", out, "--where", "x != 4", "--weights", "w"}), 3,
                {"negative weight"});
  CHECK(run_skde({"organise", broken, "-o", out, "--where", "x != 4"}).exit_code == 0);
}

TEST_CASE("organise, eval and smooth say what of a file they do not write") {
  const TemporaryFolder folder;
  const std::string cloud =
      folder.file("c.ply",
                  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                  "property float y\nproperty float z\nproperty list uchar int "
                  "nb\nelement face 1\nproperty list uchar int v\nend_header\n"
                  "1 2 3 1 7\n2 2 2 0\n3 1 2 0\n3 0 1 2\n");

  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"organise", cloud},
        {"eval", cloud, "--bandwidth", "1,1,1"},
        {"smooth", cloud, "--value", "z", "--bandwidth", "1,1,1", "--at", cloud}}) {
    const RunResult run = run_skde(arguments + in(folder, "-o @o.csv --json --quiet"));
    INFO(arguments[0] << ": " << run.err);
    REQUIRE(run.exit_code == 0);
    const auto summary = nlohmann::json::parse(run.out);
    CHECK(std::ranges::any_of(summary["warnings"],
                              [](const auto& warning) { return warning["kind"] == "columns"; }));
    for (const char* const lost : {"not written", "list nb", "element face"})
      CHECK_THAT(run.err, ContainsSubstring(lost));
  }
}
