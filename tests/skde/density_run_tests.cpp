#include "io/volumes/volume_formats.hpp"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

TEST_CASE("The flag --format chooses the format whatever the extension") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string path = folder.path("density.dat");
  check_success(run_skde(folder, "density @a.xyz -o @density.dat --format nrrd --dims 32"));
  CHECK(content_of(path).starts_with("NRRD"));
}

TEST_CASE("Several inputs are one cloud") {
  const TemporaryFolder folder;
  const std::string a = spread_rows(80), b = spread_rows(70, 0.3);
  const std::string both = folder.file("both.xyz", a + b);
  folder.file("a.xyz", a);
  folder.file("b.xyz", b);
  check_success(run_skde(folder, "density @both.xyz -o @both.vti --dims 24"));
  const json parts = run_json(folder, "density @a.xyz @b.xyz -o @parts.vti --dims 24");
  CHECK(parts["samples"]["used"] == 150);
  CHECK(relative_distance(io::read_volume(folder.path("both.vti")).volume,
                          io::read_volume(folder.path("parts.vti")).volume) < 1e-5);
}

TEST_CASE("A lone - is standard input") {
  const TemporaryFolder folder;
  const std::string rows = spread_rows(60);
  const std::string input = folder.file("a.xyz", rows);
  check_success(run_skde(folder, "density @a.xyz -o @file.vti --dims 16"));
  check_success(run_skde(folder, "density - -o @pipe.vti --dims 16", {.input = rows}));
  CHECK(relative_distance(io::read_volume(folder.path("file.vti")).volume,
                          io::read_volume(folder.path("pipe.vti")).volume) < 1e-5);
}

TEST_CASE("With --normalize, box integrates to 1 over the box and count to W over all space") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(100));
  const auto volume = [&](const std::string& normalization) {
    const std::string path = folder.path(normalization + ".vti");
    check_success(run_skde({"density", input, "-o", path, "--bounds", "-1,-1,-1:1,1,1", "--dims",
                            "20", "--normalize", normalization}));
    return io::read_volume(path);
  };
  const io::VolumeFile density = volume("density"), box = volume("box"), count = volume("count");
  CHECK(density.volume.mass() < 0.9);  // much of the cloud lies outside
  CHECK(density.metadata.mass_in_box == Approx(density.volume.mass()).epsilon(1e-3));
  CHECK(box.volume.mass() == Approx(1).epsilon(1e-3));  // the integral is 1, the sum of cells
                                                        // nearly
  CHECK(count.volume.mass() == Approx(100 * density.volume.mass()).epsilon(1e-5));
  CHECK(count.metadata.normalization == Normalization::count);
}

TEST_CASE("Weights and dropped rows are counted") {
  const TemporaryFolder folder;
  folder.file("a.csv",
              "w,x,y,z\n2,0,0,0\n1,1,0,0\n1,0,1,0\n0,9,9,9\n1,0,0,1\nnan,1,1,1\n1,nan,1,1\n");
  const json summary = run_json(folder, "density @a.csv --weights w -o @a.vti --dims 12");
  CHECK(summary["samples"]["read"] == 7);
  CHECK(summary["samples"]["used"] == 4);
  CHECK(summary["samples"]["dropped_non_finite"] == 2);
  CHECK(summary["samples"]["dropped_zero_weight"] == 1);
  CHECK(summary["total_weight"] == 5);
  CHECK(summary["effective_samples"].get<double>() == Approx(25.0 / 7));
}

TEST_CASE("The JSON summary tells what was done") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  const std::string output = folder.path("a.vti");
  const json summary = run_json(folder,
                                "density @a.xyz -o @a.vti --bandwidth 2 --bounds -4,-4,-4:4,4,4 "
                                "--dims 16 --precision f64 --engine naive");
  CHECK(summary["bandwidth"]["h"] == 2);
  CHECK(summary["bandwidth"]["source"] == "given");
  CHECK(summary["bandwidth"]["H"][0][0].get<double>() ==
        Approx(4 * summary["cloud"]["covariance"][0][0].get<double>()));
  CHECK(summary["grid"]["spacing"] == json({0.5, 0.5, 0.5}));
  CHECK(summary["grid"]["first_centre"] == json({-3.75, -3.75, -3.75}));
  CHECK(summary["grid"]["last_centre"] == json({3.75, 3.75, 3.75}));
  CHECK(summary["grid"]["bytes"] == 16 * 16 * 16 * 8);
  CHECK(summary["engine"]["name"] == "naive");
  CHECK(summary["stages"].front()["stage"] == "reading");
  CHECK(summary["stages"].back()["stage"] == "writing");
  CHECK(summary["peak_memory"].get<std::int64_t>() > 1 << 20);
  CHECK(summary["written"][0]["path"] == output);
  CHECK(summary["written"][0]["bytes"].get<std::size_t>() == content_of(output).size());
}

TEST_CASE("The summary for people names every part") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(100));
  const RunResult result = run_skde(
      {"density", input, "-o", folder.path("a.vti"), "--dims", "16", "--units", "m", "--verbose"});
  check_success(result);
  for (const char* part : {"100 read, none dropped", "n_eff = 100", "auto: lscv",
                           "times that of Silverman's rule", "first centre", "mass in box", "total",
                           "reading", "writing", "at most", "a.vti", "updates/s"}) {
    INFO(result.out);
    CHECK(result.out.find(part) != std::string::npos);
  }
}

TEST_CASE("The flag --quiet says nothing") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const RunResult result = run_skde(folder, "density @a.xyz -o @a.vti --dims 16 --quiet");
  check_success(result);
  CHECK(result.out.empty());
}

TEST_CASE("A failed run leaves an existing output untouched") {
  const TemporaryFolder folder;
  folder.file("a.csv", "0,0,0\n1,2,3\n1,2\n");
  const std::string output = folder.file("out.vti", "old");
  check_refused(folder, "density @a.csv -o @out.vti", 3, {"line 3"});
  CHECK(content_of(output) == "old");
  CHECK(folder.names() == std::vector<std::string>{"a.csv", "out.vti"});
}

TEST_CASE("An interrupt ends a long run and leaves no file") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20000));
  const std::string output = folder.file("out.vti", "old");
  const auto before = folder.names();
  for (const char* engine : {"naive", "openmp"}) {
    const RunResult result = run_skde({"density", input, "-o", output, "--dims", "400,400,400",
                                       "--engine", engine, "--bandwidth", "1"},
                                      {.interrupt_after = 1.0});
    INFO(engine);
    REQUIRE(result.was_interrupted);
    check_failure(result, 130, {"cancelled"});
    CHECK(content_of(output) == "old");
    CHECK(folder.names() == before);
  }
}

TEST_CASE("An interrupt ends the wait for a silent pipe") {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& arguments :
       {in(folder, "density - -o @out.vti"), {"info", "-"}}) {
    const RunResult result = run_skde(arguments, {.keep_input_open = true, .interrupt_after = 1.5});
    REQUIRE(result.was_interrupted);
    check_failure(result, 130, {"cancelled"});
  }
  CHECK(folder.names().empty());
}

TEST_CASE("A bar is drawn on a terminal, and taken off at the end") {
  if (skipped(has_terminals() ? "" : "there are no pseudo-terminals here")) return;
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(3000));
  const Arguments arguments = in(folder, "density @a.xyz -o @a.vti --dims 60,60,60 --engine naive");
  const RunResult shown = run_skde(arguments, {.error_to_terminal = true});
  REQUIRE(shown.exit_code == 0);
  CHECK(shown.err.find("[#") != std::string::npos);
  CHECK(shown.err.find("left") != std::string::npos);
  CHECK(shown.err.ends_with("\r\033[K"));
  CHECK(shown.err.find('\n') == std::string::npos);
  std::vector<std::string> quiet = arguments;
  quiet.emplace_back("--quiet");
  CHECK(run_skde(quiet, {.error_to_terminal = true}).err.empty());
}

TEST_CASE("What was read is said, in summary, JSON and files") {
  const TemporaryFolder folder;
  std::string rows = "id,lat (deg),lon (deg),depth (deg)\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{},{},{}\n", i, i % 7, i % 5 * 2, i % 11);
  folder.file("a.csv", rows);
  const Arguments run = in(folder, "density @a.csv -o @a.nrrd --dims 8");
  const RunResult summary = run_skde(run);
  check_success(summary);
  CHECK(summary.out.find("x = lon (deg), y = lat (deg), z = depth (deg)") != std::string::npos);
  const json about = run_json(run);
  CHECK(about["columns"]["x"] ==
        json({{"name", "lon (deg)"}, {"number", 3}, {"quantity", "lon"}, {"units", "deg"}}));
  CHECK(about["columns"]["weight"].is_null());
  CHECK(about["columns"]["others"] == json({"id"}));
  CHECK(about["units"] == "deg");
  const json metadata = run_json(folder, "info @a.nrrd")["metadata"];
  CHECK(metadata["axis_names"] == json({"lon", "lat", "depth"}));
  CHECK(metadata["units"] == "deg");
  CHECK(run_json(folder, "info @a.csv")["columns"]["z"]["name"] == "depth (deg)");
  const json given = run_json(folder, "density @a.csv -o @a.nrrd --dims 8 --units gon");
  CHECK(given["units"] == "gon");
  CHECK(run_json(folder, "info @a.nrrd")["metadata"]["units"] == "gon");
}

TEST_CASE("Unlike units of columns are told, and none is written") {
  const TemporaryFolder folder;
  std::string rows = "lat_deg,lon_deg,depth_km\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{},{}\n", i % 7, i % 5 * 2, i % 11);
  folder.file("a.csv", rows);
  const RunResult summary = run_skde(folder, "density @a.csv -o @a.nrrd --dims 8,8,8");
  check_success(summary);
  CHECK(summary.out.find("the units differ, so no unit is written") != std::string::npos);
  const json metadata = run_json(folder, "info @a.nrrd")["metadata"];
  CHECK(metadata["axis_names"] == json({"lon (deg)", "lat (deg)", "depth (km)"}));
  CHECK(metadata["units"].is_null());
}

// What a run reports of its work, and of kernels for which the grid is too coarse.

namespace {

/// Returns the seconds of all stages with these names.
double seconds_of(const json& summary, std::initializer_list<const char*> names) {
  double seconds = 0;
  for (const json& stage : summary["stages"])
    for (const char* const name : names)
      if (stage["stage"] == name) seconds += stage["seconds"].get<double>();
  return seconds;
}

}  // namespace

TEST_CASE("Updates are the cells inside the kernels and the box") {
  constexpr double kSamples = 200, kRadius = 0.8, kCell = 0.125;
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(200));
  const double volume = 4 * std::numbers::pi / 3 * std::pow(kRadius, 3);
  for (const char* const bounds : {"-5,-5,-5:5,5,5", "-1,-1,-1:1,1,1"})
    for (const char* const engine : {"naive", "openmp", "span"}) {
      INFO(engine << " in " << bounds);
      // With the uniform kernel every update adds the same value, so the mass determines their
      // number.
      const json summary = run_json({"density", input, "--kernel", "uniform", "--bandwidth",
                                     "0.8,0.8,0.8", "--bounds", bounds, "--spacing", "0.125",
                                     "--engine", engine, "-o", folder.path("a.vti")});
      const double mass = summary["mass_in_box"], updates = summary["engine"]["updates"],
                   seconds = summary["engine"]["seconds"];
      CHECK(updates == Approx(mass * kSamples * volume / std::pow(kCell, 3)).epsilon(1e-3));
      CHECK(seconds > 0);
      CHECK(seconds == Approx(seconds_of(summary, {"sort", "accumulate"})));
      CHECK(summary["engine"]["updates_per_second"].get<double>() == Approx(updates / seconds));
      CHECK(summary["unseen_mass"] == 0);
    }
}

TEST_CASE("Mass of kernels between the cell centres is told as lost") {
  const TemporaryFolder folder;
  // Two samples on cell centres, one on a corner of cells and one between two centres.
  const std::string input =
      folder.file("a.csv", "x,y,z,w\n0.5,0.5,0.5,3\n2.5,2.5,2.5,2\n2,2,2,1\n1,2.5,2.5,4\n");
  const auto run = [&](const std::string& bandwidth, bool as_json) {
    std::vector<std::string> arguments{
        "density",   input, "--weights",   "w",       "--bounds", "0,0,0:4,4,4",
        "--spacing", "1",   "--bandwidth", bandwidth, "-o",       folder.path("a.vti")};
    if (as_json) arguments.emplace_back("--json");
    const RunResult result = run_skde(arguments);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, ContainsSubstring("skde: warning: the cells sum to"));
    return result.out;
  };
  // A ball smaller than a cell, and a needle along the diagonal of x and y, longer than a cell.
  for (const char* const bandwidth : {"0.2,0.2,0.2", "1.21001,1.21,0,1.21001,0,0.01"}) {
    INFO(bandwidth);
    CHECK(json::parse(run(bandwidth, true))["unseen_mass"].get<double>() == Approx(0.5));
    CHECK(json::parse(run(bandwidth, true))["warnings"][0]["kind"] == "coarse_grid");
    const std::string text = run(bandwidth, false);
    CHECK_THAT(text, ContainsSubstring("about 50 % is lost"));
    CHECK_THAT(text, ContainsSubstring("kernels reach only"));
  }
}
