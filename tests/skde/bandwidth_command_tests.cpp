// skde bandwidth, and a data-driven bandwidth in skde density.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/cloud/synthetic_cloud.hpp"
#include "skde/program_run.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"

namespace {

using namespace skde;
using namespace skde::test;

std::string cloud_file(const TemporaryFolder& folder, std::size_t count) {
  std::string path = folder.path("cloud.txt");
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
    const auto density = run_json({"density", cloud, "-o", folder.path("d.npy"), "--dims", "32",
                                   "--bandwidth", method, "--kernel", "biweight"});
    CHECK(density["bandwidth"]["source"] == method);
    // The search of the command starts from more bandwidths.
    CHECK(density["bandwidth"]["h"].get<double>() ==
          Approx(chosen["h"].get<double>()).epsilon(1e-3));
  }
}

TEST_CASE("the summary says what auto chose, and what outliers widen", "[bandwidth_command]") {
  const TemporaryFolder folder;
  // Two clumps far from each other, and two samples far from both.
  std::string rows;
  for (int i = 0; i < 600; ++i)
    rows += fmt::format("{} {} {}\n", 8 * (i % 2) + std::sin(1.0 * i), std::cos(1.7 * i),
                        std::sin(2.3 * i + 1));
  const std::string cloud = folder.file("two.txt", rows),
                    far = folder.file("far.txt", rows + "500 0 0\n0 -700 90\n");
  const auto density = [&](const std::string& input, const Arguments& more) {
    return Arguments{"density", input, "-o", folder.path("d.npy"), "--dims", "8"} + more;
  };
  // There are warnings of few cells and of outliers, so run_json() would fail.
  const auto bandwidth = [&](const std::string& input, const Arguments& more) {
    return nlohmann::json::parse(
        run_skde(density(input, more + Arguments{"--json"})).out)["bandwidth"];
  };
  const double h = run_json(folder, "bandwidth @two.txt")["h"],
               silverman = run_json(folder, "bandwidth @two.txt --method silverman")["h"];
  const auto told = bandwidth(cloud, {});
  CHECK(told["source"] == "auto: lscv");
  CHECK(told["h"] == h);
  CHECK(told["silverman"] == silverman);
  CHECK(told["scored"] == 0);
  CHECK(told["outlier_widening"].get<double>() < 1.5);
  const RunResult shown = run_skde(density(cloud, {}));
  CHECK_THAT(shown.out, ContainsSubstring(fmt::format("h = {:.6g} (auto: lscv)", h)) &&
                            ContainsSubstring(fmt::format("Silverman's rule, {:.6g}", silverman)) &&
                            !ContainsSubstring("--covariance robust"));
  CHECK_THAT(run_skde(density(cloud, {"--bandwidth", "0.5"})).out, !ContainsSubstring("Silverman"));

  const RunResult noted = run_skde(density(far, {}));
  CHECK_THAT(noted.out, ContainsSubstring("--covariance robust"));
  CHECK_THAT(run_skde(folder, "info @far.txt").out, ContainsSubstring("--covariance robust"));
  const Arguments rule{"--bandwidth", "silverman"};
  const auto plain = bandwidth(far, rule),
             robust = bandwidth(far, rule + Arguments{"--covariance", "robust"});
  CHECK(plain["outlier_widening"].get<double>() > 1.5);
  CHECK(robust["covariance"] == "robust");
  CHECK(robust["H"][1][1].get<double>() < 0.05 * plain["H"][1][1].get<double>());
}

TEST_CASE("points, draws and categories take data-driven bandwidths", "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 500);
  std::string rows = "x,y,z,kind\n", row;
  std::istringstream lines(content_of(cloud));
  for (int i = 0; std::getline(lines, row); ++i) {
    std::ranges::replace(row, ' ', ',');
    rows += row;
    rows += i % 2 == 0 ? ",a\n" : ",b\n";
  }
  const std::string kinds = folder.file("kinds.csv", rows);
  const auto bandwidth_of = [&](const Arguments& arguments) {
    return run_json(arguments + Arguments{"--bandwidth", "plug-in"});
  };
  const auto of_all =
      bandwidth_of({"density", kinds, "-o", folder.path("d.npy"), "--dims", "24"})["bandwidth"];
  CHECK(of_all["source"] == "plug-in");
  const auto at_points =
      bandwidth_of({"eval", kinds, "--at", cloud, "-o", folder.path("e.csv")})["bandwidth"];
  CHECK(at_points["source"] == "plug-in");
  CHECK(at_points["H"] == of_all["H"]);
  const auto drawn =
      bandwidth_of({"sample", kinds, "-n", "10", "-o", folder.path("s.csv")})["bandwidth"];
  CHECK(drawn["source"] == "plug-in");
  CHECK(drawn["H"] == of_all["H"]);
  Arguments by_kind = in(folder, "density @kinds.csv --by kind -o @{}.npy --dims 24");
  const auto shared = bandwidth_of(by_kind)["categories"];
  REQUIRE(shared.size() == 2);
  const double volume = of_all["H"][0][0];
  for (const auto& category : shared)
    CHECK(category["bandwidth"]["H"][0][0].get<double>() == Approx(volume));
  by_kind.insert(by_kind.end(), {"--by-bandwidth", "own"});
  const auto own = bandwidth_of(by_kind)["categories"];
  for (const auto& category : own) {
    CHECK(category["bandwidth"]["source"] == "plug-in");
    CHECK(category["bandwidth"]["H"] != of_all["H"]);
  }
}

TEST_CASE("plug-in says without a number that it finds no curvature", "[bandwidth_command]") {
  const TemporaryFolder folder;
  std::string rows = "x,y,z\n";
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("{0}e-120,{1}e-120,{2}e-120\n", i % 3, i % 4, i % 5);
  folder.file("a.csv", rows);
  check_failure(run_skde(folder, "density @a.csv -o @a.vti --bandwidth plug-in --covariance iso"),
                3, {"no curvature of the density; use --bandwidth"});
}

TEST_CASE("every command says whose score a bandwidth is by, and which samples bind it",
          "[bandwidth_command]") {
  const TemporaryFolder folder;
  folder.file("far.txt", content_of(cloud_file(folder, 400)) + "40 0 0\n");
  for (const Arguments& command :
       {in(folder, "bandwidth @far.txt --method lcv"),
        in(folder, "density @far.txt -o @d.npy --dims 30 --bandwidth lcv"),
        in(folder, "eval @far.txt -o @e.csv --bandwidth lcv"),
        in(folder, "smooth @far.txt --value 1 --at @far.txt -o @m.csv --bandwidth lcv")}) {
    const RunResult run = run_skde(command);
    INFO(command[0] << '\n' << run.err);
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.out, ContainsSubstring("by the score of the gaussian kernel"));
    CHECK_THAT(run.err,
               ContainsSubstring("one sample that is more than 5 deviations from any other"));
  }
}

TEST_CASE("a narrow bandwidth is told by every command that takes it", "[bandwidth_command]") {
  const TemporaryFolder folder;
  std::string rows = "x,y,z\n";  // a thin helix with rounded coordinates
  for (int i = 0; i < 900; ++i) {
    const double t = 0.02 * i, off = 0.03 * std::sin(37.0 * i);
    rows +=
        fmt::format("{:.2f},{:.2f},{:.2f}\n", std::cos(t) + off, std::sin(t) - off, t / 6 + off);
  }
  const std::string cloud = folder.file("helix.csv", rows);
  const std::vector<std::vector<std::string>> commands{
      {"bandwidth", cloud, "--method", "lscv"},
      {"density", cloud, "-o", folder.path("d.npy"), "--dims", "16", "--bandwidth", "lscv"},
      {"eval", cloud, "-o", folder.path("e.csv"), "--bandwidth", "lscv"}};
  for (auto command : commands) {
    INFO(command.front());
    command.emplace_back("--json");
    const RunResult result = run_skde(command);
    CHECK(result.exit_code == 0);
    CHECK(result.err.find("rounded or repeated coordinates") != std::string::npos);
    const auto document = nlohmann::json::parse(result.out);
    const auto& warnings = document["warnings"];
    const auto narrow = std::ranges::find_if(
        warnings, [](const auto& warning) { return warning["kind"] == "narrow_bandwidth"; });
    REQUIRE(narrow != warnings.end());
    const std::string message = (*narrow)["message"];
    CHECK(message.find("times that of Silverman's rule") != std::string::npos);
    CHECK(message.find("have the x of another") != std::string::npos);
    CHECK((*narrow)["parameter"] == "bandwidth");
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
  check_success(run_skde(folder, "bandwidth @cloud.txt --picture @c.png --json"));
  CHECK(content_of(folder.path("c.png")).substr(1, 3) == "PNG");
}

TEST_CASE("some samples judge for all", "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 3000);
  const auto all = run_json(folder, "bandwidth @cloud.txt --method plug-in");
  const auto some = run_json(folder, "bandwidth @cloud.txt --method plug-in --subsample 1500");
  CHECK(some["subsample"] == 1500);
  CHECK(some["h"].get<double>() == Approx(all["h"].get<double>()).epsilon(0.1));
  const auto again = run_json(folder, "bandwidth @cloud.txt --method plug-in --subsample 1500");
  CHECK(again["h"] == some["h"]);
  const auto other =
      run_json(folder, "bandwidth @cloud.txt --method plug-in --subsample 1500 --seed 2");
  CHECK(other["h"] != some["h"]);
}

TEST_CASE("some samples score the bandwidth of all with the robust covariance",
          "[bandwidth_command]") {
  const TemporaryFolder folder;
  // A clump, and a tenth of the samples ten times as far out: S is far wider than the middle.
  const Samples cloud = gaussian_cloud(3000);
  std::string rows;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3 at = cloud.view().point(i);
    const double far = i % 10 == 0 ? 10 : 1;
    rows += fmt::format("{} {} {}\n", far * at.x, far * at.y, far * at.z);
  }
  const std::string file = folder.file("far.txt", rows);
  for (const std::string method : {"lscv", "lcv", "plug-in"}) {
    CAPTURE(method);
    // Warnings of single samples may come, so run_json() would fail.
    const auto matrix = [&](const Arguments& more) {
      const RunResult run = run_skde(
          Arguments{"bandwidth", file, "--method", method, "--covariance", "robust", "--json"} +
          more);
      REQUIRE(run.exit_code == 0);
      return nlohmann::json::parse(run.out)["H"][0][0].get<double>();
    };
    CHECK(matrix({"--subsample", "1500"}) == Approx(matrix({})).epsilon(0.4));
  }
}

TEST_CASE("a warning about some samples names the h of all", "[bandwidth_command]") {
  const TemporaryFolder folder;
  std::string rows;  // on a coarse lattice, so that lscv follows its steps
  const Samples cloud = gaussian_cloud(3000);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3 at = cloud.view().point(i);
    rows += fmt::format("{} {} {:.0f}\n", at.x, at.y, at.z);
  }
  const RunResult run = run_skde({"bandwidth", folder.file("steps.txt", rows), "--method", "lscv",
                                  "--subsample", "500", "--json"});
  REQUIRE(run.exit_code == 0);
  const auto summary = nlohmann::json::parse(run.out);
  REQUIRE_FALSE(summary["warnings"].empty());
  for (const auto& warning : summary["warnings"])
    CHECK_THAT(warning["message"].get<std::string>(),
               ContainsSubstring(fmt::format("h = {:.4g}", summary["h"].get<double>())));
}

TEST_CASE("what skde bandwidth cannot do is told before it begins", "[bandwidth_command]") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_file(folder, 50);
  check_refused(folder, "bandwidth @cloud.txt --method lcvv", 2, {"lcvv", "lcv"});
  check_refused(folder, "bandwidth @cloud.txt --method scott --curve c.csv", 2,
                {"--curve", "--method scott"});
  check_refused(folder, "bandwidth @cloud.txt --dims 8", 2, {"--dims", "--method auto"});
  check_refused(folder, "bandwidth @cloud.txt --method lscv --seed 3", 2,
                {"--seed", "--subsample"});
  check_refused(folder, "bandwidth @cloud.txt --subsample 30", 2, {"--subsample", "--method auto"});
  check_refused(folder, "bandwidth @cloud.txt --method lscv --covariance free", 2,
                {"'free'", "--bandwidth"});
  check_refused(folder, "bandwidth @cloud.txt --range 2,1", 2, {"'2,1'", "--range"});
  check_refused(folder, "bandwidth @cloud.txt --picture @a.pdf", 2, {".svg"});
  check_refused(folder, "bandwidth @cloud.txt --curve @cloud.txt", 2, {"--curve"});
  check_failure(run_skde({"bandwidth"}), 2, {"no input"});
  check_refused(folder, "bandwidth @none.txt", 3, {"none.txt"});
  for (const char* method : {"lscv", "auto"})
    check_refused(folder, fmt::format("bandwidth @cloud.txt --method {} --range 50,100", method), 3,
                  {cloud, "no minimum between h = 50 and 100", "--range"});
  const std::string one = folder.file("one.txt", "1 2 3\n1 2 3\n");
  check_refused(folder, "bandwidth @one.txt --method lcv", 3, {one, "distinct"});
}
