#include <cmath>
#include <set>

#include "io/volumes/volume_formats.hpp"
#include "support/catch.hpp"
#include "view_program/view_run.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Returns values that rise along x.
Volume ramp() {
  const Grid grid{.lower = {-1, 0, 2}, .spacing = {0.5, 0.25, 0.5}, .dims = {6, 8, 5}};
  std::vector<float> values(6 * 8 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 6);
  return {grid, std::move(values)};
}

}  // namespace

TEST_CASE("Volumes of every format give one and the same picture") {
  const TemporaryFolder folder;
  std::set<std::string> pictures;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    const std::string name(format.name);
    const std::string volume = folder.path(name + std::string(format.extension));
    const std::string picture = folder.path(name + ".png");
    format.write(volume, ramp(), {});
    CAPTURE(name);
    check_success(run_view({volume, "--size", "96x64", "--screenshot", picture}));
    pictures.insert(content_of(picture));
  }
  CHECK(pictures.size() == 1);
  CHECK_FALSE(pictures.contains(""));
}

TEST_CASE("Doubles beyond the range of float give the picture of others") {
  const TemporaryFolder folder;
  // The picture is too narrow for the colour bar, whose numbers would differ.
  const Volume plain = ramp();
  const std::vector<std::vector<std::string>> looks{
      {}, {"--mode", "maximum"}, {"--mode", "isosurface", "--isovalue", "0.9"}, {"--no-shading"}};
  for (const auto& look : looks) {
    // Gradients round otherwise in other units, which may move a pixel by one of 255.
    const std::string reference = folder.path("reference.png");
    for (const int power : {0, -166, 166, -900, 900}) {  // 1e-50, 1e50, ...
      std::vector<double> values;
      for (const float value : plain.values<float>())
        values.push_back(std::ldexp(double{value}, power));
      const std::string volume = folder.path("a.nrrd");
      io::volume_format_for(volume).write(volume, Volume(plain.grid(), values), {});
      const std::string picture = power == 0 ? reference : folder.path("a.png");
      std::vector<std::string> arguments{volume, "--size", "96x64", "--screenshot", picture};
      if (power != 0)
        arguments.insert(arguments.end(), {"--reference", reference, "--threshold", "0.01"});
      arguments.insert(arguments.end(), look.begin(), look.end());
      check_success(run_view(arguments));
    }
  }
}

TEST_CASE("A volume is refused together with flags that need its samples") {
  const TemporaryFolder folder;
  const std::string volume = folder.path("a.nrrd");
  io::volume_format_for(volume).write(volume, ramp(), {});
  check_failure(run_view(folder, "@a.nrrd --bandwidth 1 --screenshot @a.png"), 2,
                {"--bandwidth", "a.nrrd", "drop it"});
}

TEST_CASE("A mixture's density is shown, and its ellipsoid at a pixel says its numbers") {
  const TemporaryFolder folder;
  const std::string mixture = folder.file(
      "a.csv", "mass,x,y,z,xx,xy,xz,yy,yz,zz\n3,0,0,0,1,0,0,4,0,9\n1,1,9,0,1,0,0,1,0,1\n");
  const std::string plain = folder.path("a.png"), shown = folder.path("b.png");
  const Arguments common =
      in(folder, "@a.csv --bounds=-9,-9,-9:9,9,9 --dims 24 --view volume --size 96x64");
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), common.begin(), common.end());
    const RunResult result = run_view(flags);
    check_success(result);
    return result.out;
  };
  CHECK(run({"--screenshot", plain}).empty());
  const std::string out = run(
      {"--ellipsoids", "under", "--pick", "48,32", "--camera", "-90,0,1", "--screenshot", shown});
  CHECK(out.find("mass: 3, 75 % of all\n") != out.npos);
  CHECK(out.find("mean: 0, 0, 0\n") != out.npos);
  CHECK(out.find("longest deviation: 3 along") != out.npos);
  CHECK(out.find("covariance yy, yz, zz: 4, 0, 9\n") != out.npos);
  CHECK(content_of(plain) != content_of(shown));
}

TEST_CASE("Surfaces of masses are drawn and told") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(300));
  const std::string one = folder.path("a.png"), nested = folder.path("b.png");
  const auto run = [&](const std::string& masses, const std::string& picture) {
    const RunResult result =
        run_view({cloud, "--dims", "24", "--view", "volume", "--size", "96x64", "--units", "km",
                  "--mode", "isosurface", "--mass", masses, "--screenshot", picture});
    check_success(result);
    return result.out;
  };
  CHECK(run("0.5", one).starts_with("mass 0.5: density "));
  const std::string out = run("0.5,0.9", nested);
  CHECK(out.find("mass 0.5: density ") != out.npos);
  CHECK(out.find("mass 0.9: density ") != out.npos);
  CHECK(out.find(" km\u00b3\n") != out.npos);
  CHECK(content_of(one) != content_of(nested));
}

TEST_CASE("The probe tells of the place at a pixel") {
  const TemporaryFolder folder;
  folder.file("a.xyz", "0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
  const Arguments common = in(folder,
                              "@a.xyz --dims 24 --view volume --size 96x64 --units km --covariance "
                              "iso --bandwidth 2 --camera -90,0,1 --screenshot @a.png");
  const auto run = [&](const std::string& pixel) {
    std::vector<std::string> flags = common;
    flags.insert(flags.end(), {"--probe", pixel});
    return run_view(flags);
  };
  const RunResult result = run("48,32");
  check_success(result);
  for (const char* words : {"x: 0.", " km\n", "density: 0.", " km\u207b\u00b3\n",
                            "mass above it: ", "nearest sample: ", " (row "})
    CHECK(result.out.find(words) != std::string::npos);
  check_failure(run("1,1"), 2, {"--probe 1,1", "no density"});
}

TEST_CASE("A turntable writes as many pictures from as many sides") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(200));
  check_success(run_view(
      {input, "--dims", "24", "--size", "96x64", "--turntable", "4", folder.path("out_%04d.png")}));
  std::set<std::string> pictures;
  for (const char* name : {"out_0000.png", "out_0001.png", "out_0002.png", "out_0003.png"})
    pictures.insert(content_of(folder.path(name)));
  CHECK(pictures.size() == 4);
  CHECK_FALSE(pictures.contains(""));
  CHECK(folder.names().size() == 5);
}

TEST_CASE("A film of the method goes slice by slice, then to the next sample") {
  const TemporaryFolder folder;
  const std::vector<std::string> common{folder.file("a.xyz", "0 0 0\n6 0 0\n0 6 0\n0 0 6\n"),
                                        "--bounds=-3,-3,-3:9,9,9",
                                        "--dims",
                                        "48",
                                        "--covariance",
                                        "iso",
                                        "--bandwidth",
                                        "1.5",
                                        "--size",
                                        "160x120",
                                        "--view",
                                        "method"};
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), common.begin(), common.end());
    check_success(run_view(flags));
  };
  run({"--film", "method", "--frames", "14", folder.path("m_%d.png")});
  // Cells have edge 0.25, so that the kernels of the first samples, at height 0, reach the slices 6
  // to 17.
  const std::vector<std::array<const char*, 3>> steps{
      {"0", "0", "6"}, {"11", "0", "17"}, {"12", "1", "6"}, {"13", "1", "7"}};
  for (const auto& [frame, sample, slice] : steps) {
    const std::string still = folder.path("still.png");
    run({"--sample", sample, "--slice", slice, "--screenshot", still});
    CHECK(content_of(folder.path(std::string("m_") + frame + ".png")) == content_of(still));
  }
}

#if SKDE_HAS_PICTURES
TEST_CASE("The method is written as a document") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(200));
  for (const char* name : {"a.svg", "a.pdf"})
    check_success(run_view({input, "--dims", "16", "--view", "method", "--size", "480x360",
                            "--screenshot", folder.path(name)}));
  CHECK(content_of(folder.path("a.svg")).find("<svg") != std::string::npos);
  CHECK(content_of(folder.path("a.pdf")).starts_with("%PDF"));
}
#endif

TEST_CASE("Rows with a NaN do not change the picture of the others") {
  const TemporaryFolder folder;
  const auto picture_of = [&folder](const std::string& name, const std::string& rows,
                                    const std::string& warning) {
    const std::string picture = folder.path(name + ".png");
    const RunResult run = run_view(
        {folder.file(name, rows), "--dims", "16", "--size", "96x64", "--screenshot", picture});
    REQUIRE(run.exit_code == 0);
    CHECK(run.err == warning);
    return content_of(picture);
  };
  CHECK(picture_of("a.xyz", spread_rows(50), "") ==
        picture_of("b.xyz", "nan 0 0\n" + spread_rows(50) + "0 inf 0\n",
                   "skde-view: warning: 2 of 52 rows dropped: 2 with NaN or an infinity\n"));
}

TEST_CASE("Times of frames and densities are printed as JSON") {
  const TemporaryFolder folder;
  const RunResult run =
      run_view({folder.file("a.xyz", spread_rows(200)), "--dims", "20", "--bandwidth", "silverman",
                "--size", "96x64", "--benchmark-frames", "3"});
  check_success(run);
  const auto times = nlohmann::json::parse(run.out);
  CHECK(times.at("frames") == 3);
  CHECK(times.at("samples") == 200);
  CHECK(times.at("dims").size() == 3);
  for (const char* what : {"frame_ms", "march_ms"}) {
    CHECK(times.at(what).at("min").get<double>() > 0);
    CHECK(times.at(what).at("min") <= times.at(what).at("median"));
    CHECK(times.at(what).at("median") <= times.at(what).at("max"));
  }
  CHECK(times.at("frame_ms").at("min") >= times.at("march_ms").at("min"));
  CHECK(times.at("recompute_ms").at("request_to_picture").at("min") >=
        times.at("recompute_ms").at("engine").at("min"));
}

TEST_CASE("Proportions are true, fitted to a cube, or chosen by how unlike the edges are") {
  const TemporaryFolder folder;
  const auto picture_of = [&](double length, const std::string& proportions) {
    // A grid `length` times as long as wide; its values do not depend on `length`.
    const Grid grid{.lower = {-1, 0, 2}, .spacing = {length, 1, 1}, .dims = {6, 6, 6}};
    std::vector<float> values(6 * 6 * 6);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 6);
    const std::string volume = folder.path("a.nrrd"), picture = folder.path("a.png");
    io::volume_format_for(volume).write(volume, Volume(grid, std::move(values)), {});
    Arguments arguments = in(folder, "@a.nrrd --size 96x64 --screenshot @a.png");
    if (!proportions.empty()) arguments.insert(arguments.end(), {"--proportions", proportions});
    check_success(run_view(arguments));
    return content_of(picture);
  };
  for (const double length : {5.0, 40.0}) {
    INFO(length << " times as long as wide");
    const std::string as_is = picture_of(length, "true"), cube = picture_of(length, "fit");
    CHECK(as_is != cube);
    CHECK(picture_of(length, "") == (length < 12 ? as_is : cube));
    CHECK(picture_of(length, "auto") == (length < 12 ? as_is : cube));
  }
  CHECK(picture_of(1, "true") == picture_of(1, "fit"));
  check_failure(run_view(folder, "@a.nrrd --proportions wide --screenshot @b.png"), 2,
                {"--proportions", "fit"});
}
