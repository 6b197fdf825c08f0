#include <catch2/catch.hpp>
#include <cmath>

#include "io/points/point_table.hpp"
#include "program_run.hpp"
#include "support/direct_kernel.hpp"

using namespace skde;
using namespace skde::test;

namespace {

NoProgress silent;

/// Rows x, y, z, weight and two values.
std::string valued_rows() {
  std::string rows = "x,y,z,w,heat,note,salt\n";
  for (int i = 0; i < 70; ++i)
    rows += std::to_string(i * 7 % 11) + ',' + std::to_string(i * 3 % 7) + ',' +
            std::to_string(i * 5 % 13) + ',' + std::to_string(i % 4) + ',' +
            std::to_string(20 + i % 9) + ",n," + std::to_string(0.001 * i) + '\n';
  return rows;
}

}  // namespace

TEST_CASE("smooth writes means and deviations of columns, and says where there is none") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", valued_rows()),
                    points = folder.file("p.csv", "x,y,z\n3,3,3\n5,2,6\n900,0,0\n"),
                    out = folder.path("o.csv");
  const RunResult run = run_skde({"smooth", cloud, "--value", "heat,salt", "--weights", "w", "--at",
                                  points, "--bandwidth", "4,4,4", "-o", out});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, Catch::Contains("no sample reaches 1 of 3 points"));
  io::ColumnSelection columns;
  columns.weight = "w";
  const io::PointTable samples = io::read_point_table(cloud, columns, silent),
                       written = io::read_point_table(out, {}, silent);
  CHECK(written.names == std::vector<std::string>{"x", "y", "z", "heat_mean", "heat_deviation",
                                                  "salt_mean", "salt_deviation"});
  REQUIRE(written.rows() == 3);
  CHECK(std::isnan(written.at(2, 3)));
  CHECK(std::isnan(written.at(2, 6)));
  const DirectKernel kernel(KernelFunction::epanechnikov, Symmetric3::diagonal(16, 16, 16));
  for (std::size_t row = 0; row < 2; ++row)
    for (const std::size_t value : {0, 1}) {
      const std::size_t column = value == 0 ? 4 : 5;  // without the note
      double weight = 0, sum = 0, squares = 0;
      for (std::size_t i = 0; i < samples.rows(); ++i) {
        const auto at = written.point(row), from = samples.point(i);
        const double w =
            samples.at(i, 3) * kernel.at({at[0] - from[0], at[1] - from[1], at[2] - from[2]});
        weight += w;
        sum += w * samples.at(i, column);
        squares += w * samples.at(i, column) * samples.at(i, column);
      }
      const double mean = sum / weight;
      CHECK(written.at(row, 3 + 2 * value) == Approx(mean).epsilon(1e-9));
      CHECK(written.at(row, 4 + 2 * value) ==
            Approx(std::sqrt(squares / weight - mean * mean)).epsilon(1e-5));
    }
}

TEST_CASE("smooth refuses what it cannot do, and loses nothing") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", valued_rows()), out = folder.path("o.csv");
  check_failure(run_skde({"smooth", cloud, "-o", out}), 2, {"--value"});
  check_failure(run_skde({"smooth", cloud, "--value", "heat"}), 2, {"-o"});
  check_failure(run_skde({"smooth", cloud, "--value", "cold", "-o", out}), 2, {"c.csv", "cold"});
  check_failure(run_skde({"smooth", cloud, "--value", "heat,", "-o", out}), 2, {"--value"});
  check_failure(run_skde({"smooth", cloud, cloud, "--value", "heat", "-o", out}), 2, {"2 clouds"});
  check_failure(run_skde({"smooth", cloud, "--value", "heat", "-o", cloud}), 2, {"c.csv"});
  check_failure(run_skde({"smooth", cloud, "--value", "heat", "-o", out, "--engine", "naive"}), 2,
                {"--engine"});
  CHECK(folder.names() == std::vector<std::string>{"c.csv"});
}
