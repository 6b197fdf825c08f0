#include <fmt/core.h>

#include <cmath>

#include "io/points/point_table.hpp"
#include "io/volumes/volume_formats.hpp"
#include "program_run.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Returns rows of x, y, z, weight, two values and a note.
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
  const RunResult run = run_skde(
      folder,
      "smooth @c.csv --value heat,salt --weights w --at @p.csv --bandwidth 4,4,4 -o @o.csv");
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, ContainsSubstring("no sample reaches 1 of 3 points"));
  CHECK_THAT(run.out, ContainsSubstring("heat, salt") && !ContainsSubstring("widths"));
  io::ColumnSelection columns;
  columns.weight = "w";
  const io::PointTable samples = io::read_point_table(cloud, columns, silent),
                       written = io::read_point_table(out, {}, silent);
  CHECK(written.names == words("x y z heat_mean heat_deviation salt_mean salt_deviation"));
  REQUIRE(written.rows() == 3);
  CHECK(std::isnan(written.at(2, 3)));
  CHECK(std::isnan(written.at(2, 6)));
  const DirectKernel kernel(KernelFunction::epanechnikov, Symmetric3::diagonal(16, 16, 16));
  for (std::size_t row = 0; row < 2; ++row)
    for (const std::size_t value : {0, 1}) {
      const std::size_t column = value == 0 ? 4 : 5;  // skips the note
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

namespace {

/// The weighted mean of a column at a place, with kernels of H = 16 I.
double mean_at(const io::PointTable& samples, std::size_t column, Vec3 at) {
  const DirectKernel kernel(KernelFunction::epanechnikov, Symmetric3::diagonal(16, 16, 16));
  double weight = 0, sum = 0;
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    const auto from = samples.point(i);
    const double w = samples.at(i, 3) * kernel.at({at.x - from[0], at.y - from[1], at.z - from[2]});
    weight += w;
    sum += w * samples.at(i, column);
  }
  return sum / weight;
}

io::PointTable weighted_table(const std::string& path) {
  io::ColumnSelection columns;
  columns.weight = "w";
  return io::read_point_table(path, columns, silent);
}

}  // namespace

TEST_CASE("smooth on a grid writes all means as fields of one file") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", valued_rows()), out = folder.path("o.vti");
  const RunResult run = run_skde(folder,
                                 "smooth @c.csv --value heat,salt --weights w --bandwidth 4,4,4 "
                                 "--dims 9,8,7 --precision f64 -o @o.vti --json");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  CHECK(summary["points"].is_null());
  CHECK(summary["columns"]["widths"].empty());
  CHECK(summary["grid"]["dims"] == nlohmann::json({9, 8, 7}));
  const io::PointTable samples = weighted_table(cloud);
  const io::VolumeHead head = io::read_volume_head(out + ":salt_mean");
  CHECK(head.fields == words("heat_mean heat_deviation salt_mean salt_deviation"));
  CHECK(head.metadata.values == "salt_mean");
  CHECK(head.metadata.H == Symmetric3::diagonal(16, 16, 16));
  std::uint64_t nans = 0;
  for (const auto& [name, column] : {std::pair("heat_mean", 4), std::pair("salt_mean", 5)}) {
    const Volume means = io::read_volume(out + ":" + name).volume;
    for (const auto& [i, j, k] : cells_of({9, 8, 7})) {
      const double expected =
          mean_at(samples, static_cast<std::size_t>(column), means.grid().centre(i, j, k));
      nans += std::isnan(expected) ? 1 : 0;
      if (std::isnan(expected))
        CHECK(std::isnan(means.at(i, j, k)));
      else
        CHECK(means.at(i, j, k) == Approx(expected).epsilon(1e-7));
    }
  }
  CHECK(nans > 10);
  CHECK(summary["unreached"] == nans / 2);
  CHECK_THAT(run.err,
             ContainsSubstring(fmt::format("no sample reaches {} of 504 cells", nans / 2)));
  check_refused(folder, "compare @o.vti @o.vti", 3, {"instead of a density"});
}

TEST_CASE("smooth on a grid writes one mean in every format, or a file each") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("c.csv", valued_rows());
  const Arguments flags =
      in(folder, "smooth @c.csv --value heat --weights w --dims 6,6,6 --bandwidth 4,4,4");
  const auto run = [&](const Arguments& more) { return run_skde(flags + more); };
  const io::PointTable samples = weighted_table(cloud);
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    const std::string out = folder.path(std::string(format.name) + std::string(format.extension));
    INFO(format.name);
    const std::vector<std::string> into{"--of", "mean", "--format", std::string(format.name),
                                        "-o",   out};
    if (format.name == "openvdb") {  // sparse volumes cannot hold nan
      check_failure(run(into), 2, {"openvdb.vdb", "nan"});
      continue;
    }
    CHECK(run(into).exit_code == 0);
    const io::VolumeFile file = io::read_volume(out);
    CHECK(file.metadata.values == "heat_mean");
    const double expected = mean_at(samples, 4, file.volume.grid().centre(3, 2, 3));
    CHECK(file.volume.at(3, 2, 3) == Approx(expected).epsilon(1e-6));
    CHECK(std::isnan(file.volume.at(0, 0, 0)));
  }
  CHECK(run({"-o", folder.path("each_{}.nrrd")}).exit_code == 0);
  CHECK(io::read_volume_head(folder.path("each_heat_deviation.nrrd")).metadata.values ==
        "heat_deviation");
  check_failure(run({"-o", folder.path("two.nrrd")}), 2, {"--of mean", "vti", "{}"});
  check_failure(run({"-o", folder.path("o.csv")}), 2, {"o.csv", "--at"});
  check_failure(run({"-o", folder.path("o.vti"), "--at-columns", "1,2,3"}), 2, {"--at-columns"});
  const std::string points = folder.file("p.csv", "x,y,z\n1,2,3\n"), at = folder.path("a.csv");
  check_failure(run({"-o", at, "--at", points}), 2, {"--dims", "--at"});
}

TEST_CASE("smooth takes samples with widths of their own") {
  const TemporaryFolder folder;
  std::string rows = "x,y,z,v,r\n";
  for (int i = 0; i < 40; ++i)
    rows += fmt::format("{},{},{},{},{}\n", i * 7 % 11, i * 3 % 7, i * 5 % 13, i % 9,
                        i % 3 == 2 ? 0 : 2 + i % 5);
  const std::string broken = folder.file("b.csv", rows);
  std::string good = rows;
  for (std::size_t at = 0; (at = good.find(",0\n", at)) != good.npos;) good.replace(at, 3, ",1\n");
  const std::string cloud = folder.file("c.csv", good),
                    points = folder.file("p.csv", "x,y,z\n3,3,3\n5,2,6\n"),
                    out = folder.path("o.csv"), volume = folder.path("o.nrrd");
  const Arguments values = words("--value v --widths r --of mean");
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin() + 2, values.begin(), values.end());
    return run_skde(more);
  };
  CHECK(run({"smooth", cloud, "--at", points, "-o", out}).exit_code == 0);
  CHECK(run({"smooth", cloud, "--dims", "5,5,5", "--bounds", "0,0,0:11,7,13", "-o", volume})
            .exit_code == 0);
  const io::PointTable samples = io::read_point_table(cloud, {}, silent),
                       written = io::read_point_table(out, {}, silent);
  const auto expected = [&](Vec3 at) {
    double weight = 0, sum = 0;
    for (std::size_t i = 0; i < samples.rows(); ++i) {
      const auto from = samples.point(i);
      const double r = samples.at(i, 4), squared = r * r;
      const double w = DirectKernel(KernelFunction::epanechnikov,
                                    Symmetric3::diagonal(squared, squared, squared))
                           .at({at.x - from[0], at.y - from[1], at.z - from[2]});
      weight += w;
      sum += w * samples.at(i, 3);
    }
    return sum / weight;
  };
  CHECK(written.at(0, 3) == Approx(expected({3, 3, 3})).epsilon(1e-9));
  CHECK(written.at(1, 3) == Approx(expected({5, 2, 6})).epsilon(1e-9));
  const Volume means = io::read_volume(volume).volume;
  CHECK(means.at(2, 3, 2) == Approx(expected(means.grid().centre(2, 3, 2))).epsilon(1e-6));
  const Arguments of_broken{"smooth", broken, "--at", points, "-o", folder.path("no.csv")};
  const RunResult dropped = run(of_broken);
  CHECK(dropped.exit_code == 0);
  CHECK_THAT(dropped.err,
             ContainsSubstring("13 of 40 rows of the cloud") && ContainsSubstring("a width of 0"));
  check_failure(run(of_broken + Arguments{"--nan", "error"}), 3, {"b.csv", "line 4", "--widths"});
}

TEST_CASE("smooth refuses what it cannot do, and loses nothing") {
  const TemporaryFolder folder;
  folder.file("c.csv", valued_rows());
  check_refused(folder, "smooth @c.csv -o @o.vti", 2, {"--value"});
  check_refused(folder, "smooth @c.csv --value heat", 2, {"-o"});
  check_refused(folder, "smooth @c.csv --value cold -o @o.vti", 2, {"c.csv", "cold"});
  check_refused(folder, "smooth @c.csv --value heat, -o @o.vti", 2, {"--value"});
  check_refused(folder, "smooth @c.csv --value heat -o @c.csv", 2, {"c.csv"});
  check_refused(folder, "smooth @c.csv --value heat -o @o.vti --engine naive", 2, {"--engine"});
  CHECK(folder.names() == std::vector<std::string>{"c.csv"});
}
