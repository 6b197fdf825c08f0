#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

TEST_CASE("Every available volume format gets the same density and its metadata") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(200));
  const std::string first = folder.path("first.nrrd");
  const Arguments wide{"--dims", "20", "--bandwidth", "silverman"};
  check_success(run_skde(in(folder, "density @a.xyz -o @first.nrrd") + wide));
  const Volume expected = io::read_volume(first).volume;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    const std::string path = folder.path(std::string("v").append(format.extension));
    check_success(run_skde(Arguments{"density", input, "-o", path, "--units", "km"} + wide));
    const io::VolumeFile file = io::read_volume(path);
    INFO(path);
    CHECK(relative_distance(expected, file.volume) < 1e-5);
    CHECK(file.metadata.samples == 200);
    CHECK(file.metadata.units == "km");
    CHECK(file.metadata.command_line.find("skde density") == 0);
    CHECK(file.metadata.mass_in_box == Approx(1).margin(0.05));
  }
}

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
  const std::string path_a = folder.file("a.xyz", a), path_b = folder.file("b.xyz", b);
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

TEST_CASE("The flag --like takes the very grid of another volume") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(60));
  folder.file("b.xyz", spread_rows(60, 0.4));
  const std::string first = folder.path("first.vti"), second = folder.path("second.vti");
  check_success(run_skde(folder, "density @a.xyz -o @first.vti --dims 15,17,19"));
  const json summary = run_json(folder, "density @b.xyz -o @second.vti --like @first.vti");
  const Grid a = io::read_volume(first).volume.grid(), b = io::read_volume(second).volume.grid();
  CHECK(a.dims == b.dims);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(a.lower[axis] == Approx(b.lower[axis]).epsilon(1e-12));
    CHECK(a.spacing[axis] == Approx(b.spacing[axis]).epsilon(1e-12));
  }
  CHECK(summary["grid"]["dims"] == json({15, 17, 19}));
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
  for (const char* part :
       {"100 read, none dropped", "n_eff = 100", "auto: lscv", "times that of Silverman's rule",
        "first centre", "mass in box", "total", "reading", "writing", "at most", "a.vti"}) {
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
  check_failure(run_skde(folder, "density @a.csv -o @out.vti"), 3, {"line 3"});
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
  const std::string input = folder.file("a.csv", rows), output = folder.path("a.nrrd");
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
  const json metadata = run_json({"info", output})["metadata"];
  CHECK(metadata["axis_names"] == json({"lon", "lat", "depth"}));
  CHECK(metadata["units"] == "deg");
  CHECK(run_json({"info", input})["columns"]["z"]["name"] == "depth (deg)");
  const json given = run_json(folder, "density @a.csv -o @a.nrrd --dims 8 --units gon");
  CHECK(given["units"] == "gon");
  CHECK(run_json({"info", output})["metadata"]["units"] == "gon");
}

TEST_CASE("Unlike units of columns are told, and none is written") {
  const TemporaryFolder folder;
  std::string rows = "lat_deg,lon_deg,depth_km\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{},{}\n", i % 7, i % 5 * 2, i % 11);
  const std::string input = folder.file("a.csv", rows), output = folder.path("a.nrrd");
  const RunResult summary = run_skde(folder, "density @a.csv -o @a.nrrd --dims 8,8,8");
  check_success(summary);
  CHECK(summary.out.find("the units differ, so no unit is written") != std::string::npos);
  const json metadata = run_json({"info", output})["metadata"];
  CHECK(metadata["axis_names"] == json({"lon (deg)", "lat (deg)", "depth (km)"}));
  CHECK(metadata["units"].is_null());
}
