#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "io/points/point_table.hpp"
#include "program_run.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/references/log_reference.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

io::PointTable table_of(const std::string& path) { return io::read_point_table(path, {}, silent); }

std::vector<double> table_xyz(const std::string& path) {
  const io::PointTable table = table_of(path);
  std::vector<double> xyz;
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (const double place : table.point(row)) xyz.push_back(place);
  return xyz;
}

/// Returns the density of all rows but `left_out` at a place, with kernels of H = 4 I.
double density_at(const io::PointTable& cloud, double x, double y, double z, std::size_t left_out) {
  const DirectKernel kernel(KernelFunction::epanechnikov, Symmetric3::diagonal(4, 4, 4));
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < cloud.rows(); ++i) {
    if (i == left_out) continue;
    const auto [cx, cy, cz] = cloud.point(i);
    sum += kernel.at({x - cx, y - cy, z - cz});
    ++count;
  }
  return sum / count;
}

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

Arguments with_kernel(const Arguments& arguments) { return arguments + words("--bandwidth 2,2,2"); }

}  // namespace

TEST_CASE("eval writes the points' own columns, and the density behind them") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("cloud.xyz", spread_rows(80)),
                    points = folder.file("p.csv",
                                         "id,x,y,z,note,age\n7,0.5,1,1,far,2.5\n8,nan,0,0,b,3\n"
                                         "9,1,2,0,c,4\n10,1e6,0,0,d,5\n");
  const io::PointTable samples = table_of(cloud);
  for (const char* name : {"o.csv", "o.ply", "o.npy"}) {
    const std::string out = folder.path(name);
    const RunResult run =
        run_skde(with_kernel({"eval", cloud, "--at", points, "-o", out, "--gradient"}));
    INFO(name << ": " << run.err);
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.err, ContainsSubstring("1 of 4 points"));
    const bool keeps = std::string(name) == "o.csv";  // texts, too
    CHECK((run.err.find("note") == run.err.npos) == keeps);
    if (keeps) CHECK(content_of(out).find("\n9,1,2,0,c,4,") != std::string::npos);
    CHECK_THAT(run.out, ContainsSubstring("of which 1 are out of reach"));
    io::ColumnSelection columns;
    columns.coordinates = {"2", "3", "4"};
    const io::PointTable written = io::read_point_table(out, columns, silent);
    REQUIRE(written.rows() == 4);
    REQUIRE(written.names.size() == 9);
    if (std::string(name) != "o.npy") {
      CHECK(written.names[0] == "id");
      CHECK(written.names[4] == "age");
      CHECK(written.names[5] == "gradient_x");
      CHECK(written.names[8] == "density");
    }
    CHECK(written.at(2, 0) == 9);
    CHECK(written.at(2, 4) == 4);
    CHECK(written.at(0, 8) == Approx(density_at(samples, 0.5, 1, 1, kAll)));
    CHECK(written.at(2, 8) == Approx(density_at(samples, 1, 2, 0, kAll)));
    CHECK(std::isnan(written.at(1, 8)));
    CHECK(written.at(3, 8) == 0);
  }
}

TEST_CASE("eval, smooth and organise keep the digits of whole numbers") {
  const TemporaryFolder folder;
  std::string text = "source_id,x,y,z,v\n";
  for (int i = 0; i < 30; ++i)
    text +=
        fmt::format("58534987131905256{},{},{},{},1\n", 60 + i, std::sin(i), std::cos(i), i % 7);
  const std::string cloud = folder.file("c.csv", text), out = folder.path("o.csv");
  for (const std::vector<std::string>& command :
       {in(folder, "eval @c.csv --loo"),
        {"smooth", cloud, "--value", "v", "--at", cloud},
        {"organise", cloud, "--weights", "v", "--prune"}}) {
    INFO(command[0]);
    Arguments arguments = (command[0] == "organise" ? command : with_kernel(command)) +
                          in(folder, "-o @o.csv --quiet");
    CHECK(run_skde(arguments).exit_code == 0);
    const std::string written = content_of(out);
    std::size_t found = 0;
    for (int i = 0; i < 30; ++i)
      found +=
          written.find(fmt::format("58534987131905256{},{},", 60 + i, std::sin(i))) != written.npos;
    CHECK(found == 30);  // 5 times 6 cells
    arguments[arguments.size() - 2] = folder.path("o.npy");
    const RunResult run = run_skde(arguments);
    CHECK_THAT(run.err, ContainsSubstring("2^53 in: source_id"));
    CHECK((run.exit_code == 0) == (command[0] != "organise"));
  }
}

TEST_CASE("Points that eval writes are points again, whatever their columns were called") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("cloud.xyz", spread_rows(80)),
                    named = folder.file(
                        "p.csv", "x,density,\"lon;gitude\",lat,depth\n5,4,1,2,0\n6,3,2,1,1\n");
  for (const char* name : {"o.csv", "o.ply"}) {
    const std::string out = folder.path(name);
    CHECK(run_skde(with_kernel({"eval", cloud, "-o", out, "--quiet"})).exit_code == 0);
    CHECK(io::read_point_table(out, {}, silent).names == words("x y z density"));
    const RunResult run =
        run_skde(with_kernel({"eval", cloud, "--at", named, "--at-columns", "3,4,5", "-o", out}));
    CHECK_THAT(run.err, ContainsSubstring(
                            "already have a column 'density'; the new one is named 'density_new'"));
    io::ColumnSelection columns;
    columns.coordinates = {"3", "4", "5"};
    const io::PointTable written = io::read_point_table(out, columns, silent);
    CHECK(written.at(1, 0) == 6);
    CHECK(written.names == (std::string(name) == "o.ply"
                                ? words("x_of_points density x y z density_new")
                                : words("x density lon;gitude lat depth density_new")));
  }
}

TEST_CASE("eval --loo --log scores the samples of a cloud") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("cloud.xyz", spread_rows(60) + "900 900 900\n");
  const std::string out = folder.path("scores.npy");
  const nlohmann::json summary =
      run_json(with_kernel({"eval", cloud, "--loo", "--log", "-o", out}));
  CHECK(summary["kind"] == "evaluation");
  CHECK(summary["points"]["unreached"] >= 1);
  const io::PointTable samples = table_of(cloud), written = table_of(out);
  REQUIRE(written.rows() == samples.rows());
  std::size_t finite = 0;
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    const auto [x, y, z] = samples.point(i);
    const double expected = std::log(density_at(samples, x, y, z, i));
    if (std::isinf(expected)) {
      CHECK(written.at(i, written.names.size() - 1) == expected);
      continue;
    }
    CHECK(written.at(i, written.names.size() - 1) == Approx(expected).epsilon(1e-9));
    ++finite;
  }
  CHECK(finite > 30);
}

TEST_CASE("eval writes the logarithm of a Gaussian density however low it is") {
  const TemporaryFolder folder;
  Random random(4);
  Samples cloud;
  add_normal(cloud, random, {}, 1, 200);
  const std::string file = folder.path("g.txt"), out = folder.path("o.npy"),
                    points = folder.file("p.csv", "x,y,z\n3,0,0\n0,0,0\n-20,9,1\n1e3,-2e3,0\n");
  text_file(file, cloud.view());
  const Arguments command{"eval", file,          "--at",        points,     "--log",   "-o",
                          out,    "--bandwidth", "0.2,0.2,0.2", "--kernel", "gaussian"};
  const nlohmann::json summary = run_json(command);
  CHECK(summary["points"]["unreached"] == 0);
  const Samples read{table_xyz(file)};
  LogReference reference(read.view(), Symmetric3::diagonal(0.04, 0.04, 0.04));
  const io::PointTable written = table_of(out);
  REQUIRE(written.rows() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto [x, y, z] = written.point(i);
    CHECK(
        written.at(i, 3) ==
        Approx(static_cast<double>(reference.log_density({x, y, z}))).epsilon(1e-13).margin(1e-9));
  }
  check_failure(run_skde(command + Arguments{"--tolerance", "1e-300"}), 2, {"--tolerance"});
  check_failure(run_skde(command + Arguments{"--precision", "f32"}), 2, {"--precision", "--log"});
}

TEST_CASE("eval --loo gives samples of weight 0 the density of all others") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file(
                        "c.csv", "x,y,z,w\n0,0,0,1\n1,0,0,0\n0,1,0,2\nnan,0,0,1\n0,0,1,0.5\n"),
                    out = folder.path("o.csv");
  for (const std::string kernel : {"epanechnikov", "gaussian"})
    for (const bool log : {false, true}) {
      const Arguments flags = log ? Arguments{"--log"} : Arguments{};
      const RunResult run = run_skde(with_kernel({"eval", cloud, "--weights", "w", "--loo", "-o",
                                                  out, "--kernel", kernel, "--gradient"}) +
                                     flags);
      INFO(kernel << run.err);
      CHECK(run.exit_code == 0);
      const DirectKernel direct(KernelFunction::named(kernel), Symmetric3::diagonal(4, 4, 4));
      const io::PointTable written = table_of(out);
      REQUIRE(written.rows() == 5);
      const std::size_t column = written.names.size() - 1;
      CHECK(std::isnan(written.at(3, column)));
      for (const std::size_t row : {0, 1, 2, 4}) {
        double sum = 0, weight = 0;
        for (const std::size_t j : {0, 1, 2, 4}) {
          if (j == row) continue;
          const auto at = written.point(row), from = written.point(j);
          sum += written.at(j, 3) * direct.at({at[0] - from[0], at[1] - from[1], at[2] - from[2]});
          weight += written.at(j, 3);
        }
        const double expected = log ? std::log(sum / weight) : sum / weight;
        CHECK(written.at(row, column) == Approx(expected).epsilon(1e-5));
        CHECK(std::isfinite(written.at(row, column - 1)));
      }
    }
}

TEST_CASE("eval refuses what it cannot do, and loses nothing") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("cloud.xyz", spread_rows(20));
  folder.file("none.csv", "x,y,z\nnan,1,2\n");
  check_refused(folder, "eval @cloud.xyz", 2, {"-o"});
  check_refused(folder, "eval -o @o.csv", 2, {"no input"});
  check_refused(folder, "eval @cloud.xyz -o @cloud.xyz", 2, {cloud});
  check_refused(folder, "eval @cloud.xyz @cloud.xyz -o @o.csv", 2, {"--at"});
  check_refused(folder, "eval @cloud.xyz --at @cloud.xyz --loo -o @o.csv", 2, {"--loo"});
  check_refused(folder, "eval @cloud.xyz --loo --engine naive -o @o.csv", 2,
                {"--engine", "ranges or cuda-ranges"});
  check_refused(folder, "eval @cloud.xyz --at-columns 1,2,3 -o @o.csv", 2, {"--at-columns"});
  check_refused(folder, "eval @cloud.xyz --bounds 0,0,0:1,1,1 -o @o.csv", 2, {"--boundary"});
  check_refused(folder, "eval @cloud.xyz -o @o.vti", 2, {"o.vti"});
  check_refused(folder, "eval @cloud.xyz --at @no.csv -o @o.csv", 3, {"no.csv"});
  check_refused(folder, "eval @cloud.xyz --at @none.csv -o @o.csv", 3, {"none.csv"});
  check_refused(folder, "eval @cloud.xyz --kernel uniform --gradient -o @o.csv", 2, {"gradient"});
  CHECK(folder.names() == std::vector<std::string>{"cloud.xyz", "none.csv"});
  check_success(run_skde(folder, "eval @cloud.xyz --loo --engine ranges -o @o.csv --quiet"));
}
