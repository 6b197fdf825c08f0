#include <nlohmann/json.hpp>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;
using nlohmann::json;

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
  const std::string path = density_with_levels(folder, "a.vti");
  const json levels = run_json({"levels", path, "--mass", "0.95,0.5"});
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
  CHECK(run_json({"levels", path})["levels"].size() == 3);
  const RunResult text = run_skde({"levels", path});
  check_success(text);
  CHECK(text.out.find("m^3") != std::string::npos);
  CHECK(run_skde({"levels", path, "--quiet"}).out.empty());
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
  check_failure(run_skde(folder, "levels @a.vti --mass 0.999"), 3,
                {"a.vti", "the box hold", "larger box"});
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
  CHECK(run_skde({"levels", path}).out.find("as the file states") != std::string::npos);
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
  check_failure(run_skde({"levels", folder.path("none.vti")}), 3, {"none.vti"});
}
