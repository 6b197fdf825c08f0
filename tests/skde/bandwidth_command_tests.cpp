// skde bandwidth, and a bandwidth by evidence in skde density.

#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "core/synthetic_cloud.hpp"
#include "skde/program_run.hpp"
#include "support/small_clouds.hpp"

namespace {

using namespace skde;
using namespace skde::test;

std::string cloud_file(const TemporaryFolder& folder, std::size_t count) {
  const std::string path = folder.path("cloud.txt");
  text_file(path, gaussian_cloud(count).view());
  return path;
}

}  // namespace

TEST_CASE("skde density takes the bandwidth that skde bandwidth chooses", "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 600);
  for (const std::string method : {"silverman", "lcv", "lscv", "plug-in"}) {
    INFO(method);
    const auto chosen = run_json({"bandwidth", cloud, "--method", method, "--kernel", "biweight"});
    const auto density = run_json({"density", cloud, "-o", folder.path("d.npy"), "--dims", "8",
                                   "--bandwidth", method, "--kernel", "biweight"});
    CHECK(density["bandwidth"]["source"] == method);
    // The search of the command begins with more bandwidths.
    CHECK(density["bandwidth"]["h"].get<double>() ==
          Approx(chosen["h"].get<double>()).epsilon(1e-3));
  }
}

TEST_CASE("the curve of scores is a table and a picture, the chosen one the least",
          "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 400);
  const std::string csv = folder.path("c.csv"), svg = folder.path("c.svg");
  const auto chosen = run_json(
      {"bandwidth", cloud, "--curve", csv, "--picture", svg, "--steps", "8", "--range", "0.1,1.5"});
  std::istringstream lines(content_of(csv));
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == "h,least_squares_score");
  std::size_t rows = 0;
  double before = 0, least = INFINITY;
  while (std::getline(lines, line)) {
    const auto comma = line.find(',');
    const double h = std::stod(line), score = std::stod(line.substr(comma + 1));
    CHECK(h > before);
    before = h;
    least = std::min(least, score);
    ++rows;
  }
  CHECK(rows == chosen["curve"].size());
  CHECK(least == chosen["score"].get<double>());
  CHECK(content_of(svg).find("<svg") != std::string::npos);
  CHECK(chosen["written"].size() == 2);
  check_success(run_skde({"bandwidth", cloud, "--picture", folder.path("c.png"), "--json"}));
  CHECK(content_of(folder.path("c.png")).substr(1, 3) == "PNG");
}

TEST_CASE("some samples judge for all", "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 3000);
  const auto all = run_json({"bandwidth", cloud, "--method", "plug-in"});
  const auto some = run_json({"bandwidth", cloud, "--method", "plug-in", "--subsample", "1500"});
  CHECK(some["subsample"] == 1500);
  CHECK(some["h"].get<double>() == Approx(all["h"].get<double>()).epsilon(0.1));
  const auto again = run_json({"bandwidth", cloud, "--method", "plug-in", "--subsample", "1500"});
  CHECK(again["h"] == some["h"]);
  const auto other =
      run_json({"bandwidth", cloud, "--method", "plug-in", "--subsample", "1500", "--seed", "2"});
  CHECK(other["h"] != some["h"]);
}

TEST_CASE("what skde bandwidth cannot do is told before it begins", "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 50);
  check_failure(run_skde({"bandwidth", cloud, "--method", "lcvv"}), 2, {"lcvv", "lcv"});
  check_failure(run_skde({"bandwidth", cloud, "--method", "scott", "--curve", "c.csv"}), 2,
                {"--curve", "--method scott"});
  check_failure(run_skde({"bandwidth", cloud, "--dims", "8"}), 2, {"--dims", "--method lscv"});
  check_failure(run_skde({"bandwidth", cloud, "--seed", "3"}), 2, {"--seed", "--subsample"});
  check_failure(run_skde({"bandwidth", cloud, "--range", "2,1"}), 2, {"'2,1'", "--range"});
  check_failure(run_skde({"bandwidth", cloud, "--picture", folder.path("a.pdf")}), 2, {".svg"});
  check_failure(run_skde({"bandwidth", cloud, "--curve", cloud}), 2, {"--curve"});
  check_failure(run_skde({"bandwidth"}), 2, {"no input"});
  check_failure(run_skde({"bandwidth", folder.path("none.txt")}), 3, {"none.txt"});
  check_failure(run_skde({"bandwidth", cloud, "--range", "50,100"}), 3,
                {cloud, "no least value", "--range"});
  const std::string one = folder.file("one.txt", "1 2 3\n1 2 3\n");
  check_failure(run_skde({"bandwidth", one, "--method", "lcv"}), 3, {one, "distinct"});
}
