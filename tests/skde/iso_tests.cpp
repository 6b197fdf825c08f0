#include <filesystem>
#include <nlohmann/json.hpp>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

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
  const std::string path =
      density_with_surfaces(folder, {"--bounds", "-1,-1,-1:30,30,30", "--bandwidth", "2,2,2"});
  const json surface = run_json({"iso", path, "--level", "1e-6", "-o", folder.path("mesh.stl")});
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
  check_failure(run_skde({"iso", path, "-o", mesh}), 2, {"--mass", "--level"});
  check_failure(run_skde({"iso", path, "--mass", "0.5", "--level", "1", "-o", mesh}), 2,
                {"contradicts"});
  check_failure(run_skde({"iso", path, "--mass", "0.5"}), 2, {"-o"});
  check_failure(run_skde({"iso", path, "--mass", "0.5", "-o", folder.path("mesh.gltf")}), 2,
                {"mesh.gltf", ".ply"});
  check_failure(run_skde({"iso", path, "--level", "1e9", "-o", mesh}), 2, {"greatest"});
  check_failure(run_skde({"iso", path, "--level", "0", "-o", mesh}), 2, {"above 0"});
  check_failure(run_skde({"iso", path, "--mass", "1", "-o", mesh}), 2, {"--mass"});
  check_failure(run_skde(folder, "iso @none.vti --mass 0.5 -o @mesh.ply"), 3, {"none.vti"});
  check_failure(run_skde({"iso", path, "--mass", "0.5", "-o", folder.path("no/mesh.ply")}), 4,
                {"no"});
  CHECK(!std::filesystem::exists(mesh));
}

#endif
