#include "skde/program_run.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"

using namespace skde::test;
using nlohmann::json;

#if SKDE_HAS_OPENVDB

using namespace skde::test;
using nlohmann::json;

namespace {

std::string density_with_surfaces(const TemporaryFolder& folder,
                                  std::vector<std::string> more = {}) {
  std::string path = folder.path("a.vti");
  check_success(run_skde(
      Arguments{"density", folder.file("a.xyz", spread_rows(300)), "-o", path, "--quiet"} + more));
  return path;
}

}  // namespace

TEST_CASE("iso encloses the mass that is asked for within 1 %, for every kernel") {
  for (const std::string kernel :
       {"epanechnikov", "uniform", "biweight", "triweight", "gaussian"}) {
    INFO(kernel);
    const TemporaryFolder folder;
    const std::string path = density_with_surfaces(
        folder, {"--kernel", kernel, "--dims", "128", "--bandwidth", "silverman"});
    for (const double mass : {0.2, 0.5, 0.9}) {
      const json surface =
          run_json({"iso", path, "--mass", std::to_string(mass), "-o", folder.path("mesh.ply")});
      // The uniform kernel's density has steps, so levels reach a mass only within 2 %.
      const double within = kernel == "uniform" ? 0.02 : 2e-3;
      CHECK(surface["enclosed_mass"].get<double>() == Approx(mass).epsilon(within));
      CHECK(surface["closed_faces"].empty());
      CHECK(surface["triangles"] > 100);
      CHECK(surface["written"][0]["path"] == folder.path("mesh.ply"));
    }
  }
}

TEST_CASE("iso warns where no level encloses the mass that is asked for") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npy");
  // One sample with a uniform kernel: the density has one value, and 0.
  check_success(run_skde({"density", folder.file("a.xyz", "1 2 3\n"), "-o", path, "--kernel",
                          "uniform", "--bandwidth", "4,4,4", "--dims", "12", "--quiet"}));
  const RunResult run = run_skde(folder, "iso @a.npy --mass 0.1 -o @mesh.ply");
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.err, ContainsSubstring("no level of this volume encloses 10 % of the mass; the "
                                        "nearest one encloses"));
}

TEST_CASE("iso warns where single kernels have too few cells to be interpolated") {
  const TemporaryFolder folder;
  const auto errors_of = [&](const std::string& rows, const char* bandwidth) {
    const std::string path = folder.path("a.npy");
    const RunResult made =  // it warns of coarse cells itself
        run_skde({"density", folder.file("a.xyz", rows), "-o", path, "--bounds", "-8,-8,-8:8,8,8",
                  "--spacing", "1", "--bandwidth", bandwidth, "--quiet"});
    REQUIRE(made.exit_code == 0);
    const RunResult run = run_skde(folder, "iso @a.npy --mass 0.5 -o @mesh.ply");
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.out, ContainsSubstring("in the interpolated cells"));
    return run.err;
  };
  CHECK_THAT(errors_of("0 0 0\n", "3,1.6,3"),
             ContainsSubstring("kernels have a standard deviation of 0.6 cells along y"));
  CHECK_THAT(errors_of("0 0 0\n", "3,3,3"), !ContainsSubstring("deviation"));
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += std::to_string(i % 10 * 0.3) + " " + std::to_string(i / 10 % 10 * 0.3) + " " +
            std::to_string(i / 100 * 0.3) + "\n";
  CHECK_THAT(errors_of(many, "1.6,1.6,1.6"), !ContainsSubstring("deviation"));
}

TEST_CASE("iso tells the faces along which it closes the surface, and takes a level") {
  const TemporaryFolder folder;
  density_with_surfaces(folder, {"--bounds", "-1,-1,-1:30,30,30", "--bandwidth", "2,2,2"});
  const json surface = run_json(folder, "iso @a.vti --level 1e-6 -o @mesh.stl");
  CHECK(!surface["closed_faces"].empty());
  CHECK(surface["level"] == 1e-6);
  CHECK(surface["mass_asked"].is_null());
  // 80 bytes, a count, and 50 bytes per triangle.
  CHECK(std::filesystem::file_size(folder.path("mesh.stl")) ==
        84 + 50 * surface["triangles"].get<std::uintmax_t>());
}

TEST_CASE("iso warns where floats are too coarse for the coordinates") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.vti");
  check_success(run_skde({"density", folder.file("a.xyz", spread_rows(100, 1e7)), "-o", path,
                          "--bandwidth", "1,1,1", "--dims", "100", "--quiet"}));
  const RunResult floats = run_skde(folder, "iso @a.vti --mass 0.5 -o @a.stl");
  CHECK(floats.exit_code == 0);
  CHECK(floats.err.find("floats") != std::string::npos);
  check_success(run_skde(folder, "iso @a.vti --mass 0.5 -o @a.vtp"));
}

TEST_CASE("iso refuses what makes no surface, and leaves no file") {
  const TemporaryFolder folder;
  const std::string path =
      density_with_surfaces(folder, {"--dims", "20", "--bandwidth", "silverman"});
  const std::string mesh = folder.path("mesh.ply");
  check_refused(folder, "iso @a.vti -o @mesh.ply", 2, {"--mass", "--level"});
  check_refused(folder, "iso @a.vti --mass 0.5 --level 1 -o @mesh.ply", 2, {"contradicts"});
  check_refused(folder, "iso @a.vti --mass 0.5", 2, {"-o"});
  check_refused(folder, "iso @a.vti --mass 0.5 -o @mesh.gltf", 2, {"mesh.gltf", ".ply"});
  check_refused(folder, "iso @a.vti --level 1e9 -o @mesh.ply", 2, {"greatest"});
  check_refused(folder, "iso @a.vti --level 0 -o @mesh.ply", 2, {"above 0"});
  check_refused(folder, "iso @a.vti --mass 1 -o @mesh.ply", 2, {"--mass"});
  check_refused(folder, "iso @none.vti --mass 0.5 -o @mesh.ply", 3, {"none.vti"});
  check_refused(folder, "iso @a.vti --mass 0.5 -o @no/mesh.ply", 4, {"no"});
  CHECK(!std::filesystem::exists(mesh));
}

#endif

namespace {

std::string density_with_levels(const TemporaryFolder& folder, const char* name,
                                std::vector<std::string> more = {}) {
  std::string path = folder.path(name);
  check_success(run_skde(Arguments{"density", folder.file("a.xyz", spread_rows(200)), "-o", path,
                                   "--dims", "40", "--units", "m", "--quiet"} +
                         more));
  return path;
}

}  // namespace

TEST_CASE("levels tells level, volume and mass of the regions, in the order asked for") {
  const TemporaryFolder folder;
  density_with_levels(folder, "a.vti");
  const json levels = run_json(folder, "levels @a.vti --mass 0.95,0.5");
  CHECK(levels["kind"] == "levels");
  CHECK(levels["units"] == "m");
  CHECK(levels["mass"]["whole"] == 1);
  CHECK(levels["mass"]["whole_known"] == true);
  REQUIRE(levels["levels"].size() == 2);
  const json &wide = levels["levels"][0], &narrow = levels["levels"][1];
  CHECK(wide["mass"] == 0.95);
  CHECK(wide["held"].get<double>() == Approx(0.95).margin(0.002));
  CHECK(wide["level"] < narrow["level"]);
  CHECK(wide["volume"] > narrow["volume"]);
  CHECK(run_json(folder, "levels @a.vti")["levels"].size() == 3);
  const RunResult text = run_skde(folder, "levels @a.vti");
  check_success(text);
  CHECK(text.out.find("m^3") != std::string::npos);
  CHECK(run_skde(folder, "levels @a.vti --quiet").out.empty());
}

TEST_CASE("levels of counts and of a part of the mass are those of the density") {
  const TemporaryFolder folder;
  const Arguments box = words("--bounds -2,-2,-2:2,2,2 --bandwidth 1,1,1");
  const auto with = [&](const char* name, const char* normalization) {
    Arguments more = box + Arguments{"--normalize", normalization};
    return run_json({"levels", density_with_levels(folder, name, more), "--mass", "0.1"});
  };
  const json plain = with("a.vti", "density"), count = with("b.vti", "count"),
             inside = with("c.vti", "box");
  const double outside = plain["mass"]["outside"];
  CHECK(outside > 0.1);
  for (const json& other : {count, inside}) {
    CHECK(other["mass"]["outside"].get<double>() == Approx(outside).epsilon(1e-4));
    CHECK(other["levels"][0]["volume"].get<double>() ==
          Approx(plain["levels"][0]["volume"].get<double>()).epsilon(0.01));
  }
  CHECK(count["levels"][0]["level"].get<double>() ==
        Approx(200 * plain["levels"][0]["level"].get<double>()).epsilon(0.01));
  check_refused(folder, "levels @a.vti --mass 0.999", 3, {"a.vti", "the box hold", "larger box"});
}

TEST_CASE("levels go by the mass in the box that the file tells, and not by the sum of its cells") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.vti");
  // The centre of the kernel is a corner of 8 cells, whose masses sum to 0.824.
  const RunResult made =
      run_skde({"density", folder.file("a.xyz", "0 0 0\n"), "-o", path, "--bounds",
                "-8,-8,-8:8,8,8", "--spacing", "1", "--bandwidth", "1.6,1.6,1.6", "--quiet"});
  REQUIRE(made.exit_code == 0);
  const json levels = run_json(folder, "levels @a.vti --mass 0.7,0.9");
  CHECK(levels["mass"]["inside"].get<double>() == Approx(1));
  CHECK(levels["mass"]["cells"].get<double>() == Approx(0.8242).epsilon(1e-3));
  CHECK(levels["mass"]["outside"].get<double>() == Approx(0).margin(1e-9));
  // The 8 cells are equal: a mass of 0.7 takes 5.6 of them, and 0.9 takes 7.2.
  CHECK(levels["levels"][0]["volume"].get<double>() == Approx(6));
  CHECK(levels["levels"][1]["volume"].get<double>() == Approx(8));
  CHECK(levels["levels"][0]["held"].get<double>() == Approx(0.75));
  CHECK(run_skde(folder, "levels @a.vti").out.find("as the file states") != std::string::npos);
}

TEST_CASE("levels of a volume of others are shares of what is in its box") {
  const TemporaryFolder folder;
  const std::string head =
      "NRRD0004\ntype: float\ndimension: 3\nsizes: 4 1 1\nspacings: 1 1 1\naxis mins: 0 0 0\n"
      "encoding: ascii\n\n";
  folder.file("a.nrrd", head + "6 3 1 -0.01\n");
  const RunResult result = run_skde(folder, "levels @a.nrrd --mass 0.5,0.85 --json");
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("1 values below 0") != std::string::npos);
  CHECK(result.err.find("does not state") != std::string::npos);
  const json levels = json::parse(result.out);
  CHECK(levels["mass"]["whole_known"] == false);
  CHECK(levels["levels"][0]["level"] == 6);
  CHECK(levels["levels"][0]["held"].get<double>() == Approx(0.6));
  CHECK(levels["levels"][1]["level"] == 3);
  check_failure(run_skde({"levels", folder.file("b.nrrd", head + "6 3 1 -5\n")}), 3,
                {"b.nrrd", "cannot be a density"});
}

TEST_CASE("levels refuses masses that are none, and anything but one volume") {
  const TemporaryFolder folder;
  check_failure(run_skde({"levels"}), 2, {"no volume"});
  check_failure(run_skde(words("levels a.vti b.vti")), 2, {"one volume; got 2"});
  check_failure(run_skde(words("levels a.vti --mass 1.5")), 2, {"--mass", "1.5"});
  check_failure(run_skde(words("levels a.vti --mass x")), 2, {"--mass"});
  check_refused(folder, "levels @none.vti", 3, {"none.vti"});
}
