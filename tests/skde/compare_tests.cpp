#include <cmath>
#include <nlohmann/json.hpp>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/references/comparison_reference.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

const std::vector<std::string> kCells{"--dims", "16,12,20", "--bounds", "-5,-6,-7:5,6,7"};

/// Computes a density of spread samples shifted by `offset`, and returns its path.
std::string compared_density(const TemporaryFolder& folder, const std::string& name, double offset,
                             std::vector<std::string> more = kCells) {
  std::string path = folder.path(name);
  std::vector<std::string> arguments{
      "density",     folder.file(name + ".xyz", spread_rows(60, offset)),
      "-o",          path,
      "--bandwidth", "2,2,2",
      "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  REQUIRE(run_skde(arguments).exit_code == 0);
  return path;
}

/// Checks the distances between two densities in every format.
void check_distances(const char* kernel) {
  const TemporaryFolder folder;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(kernel << " " << format.name);
    std::vector<std::string> more = kCells;
    more.insert(more.end(), {"--kernel", kernel, "--format", std::string(format.name)});
    const std::string a = compared_density(folder, std::string("a").append(format.extension), 0,
                                           more),
                      b = compared_density(folder, std::string("b").append(format.extension), 0.5,
                                           more);
    const json found = run_json({"compare", a, b, "--normalize"});
    CHECK(found["kind"] == "comparison");
    const ComparisonReference expected =
        compare_by_definition(io::read_volume(a).volume, io::read_volume(b).volume, true);
    CHECK(found["overlap"].get<double>() == Approx(expected.overlap));
    CHECK(found["l1"].get<double>() == Approx(expected.l1));
    CHECK(found["hellinger"].get<double>() == Approx(expected.hellinger));
    CHECK(found["kullback_leibler"]["a_from_b"]["value"].get<double>() ==
          Approx(expected.kl_a_from_b));
    CHECK(found["kullback_leibler"]["a_from_b"]["undefined_mass"].get<double>() ==
          Approx(expected.only_a));
    CHECK(found["earth_movers"][2].get<double>() == Approx(expected.earth_movers[2]));
  }
}

}  // namespace

TEST_CASE("compare tells the distances of two files in every format, epanechnikov") {
  check_distances("epanechnikov");
}

TEST_CASE("compare tells the distances of two files in every format, gaussian") {
  check_distances("gaussian");
}

TEST_CASE("compare tells the distances of two files in every format, uniform") {
  check_distances("uniform");
}

TEST_CASE("compare writes the ratio in every format, which says that it is no density") {
  const TemporaryFolder folder;
  const std::string a = compared_density(folder, "a.vti", 0),
                    b = compared_density(folder, "b.vti", 0.5);
  const Volume left = io::read_volume(a).volume, right = io::read_volume(b).volume;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const std::string path = folder.path(std::string("ratio").append(format.extension));
    const json found = run_json(
        {"compare", a, b, "-o", path, "--format", std::string(format.name), "--floor", "0.01"});
    CHECK(found["ratio"]["values"] == "ratio");
    CHECK(found["written"][0]["path"] == path);
    const io::VolumeFile ratio = io::read_volume(path);
    const double floor = 0.01 * right.maximum();
    CHECK(found["ratio"]["floor"].get<double>() == Approx(floor));
    double worst = 0;
    for (std::int64_t k = 0; k < 20; ++k)
      for (std::int64_t j = 0; j < 12; ++j)
        for (std::int64_t i = 0; i < 16; ++i)
          worst = std::max(worst, std::abs(ratio.volume.at(i, j, k) -
                                           left.at(i, j, k) / std::max(right.at(i, j, k), floor)));
    CHECK(worst < 1e-5);
    CHECK(ratio.metadata.values == "ratio");
    CHECK(ratio.metadata.command_line.find("compare") != std::string::npos);
    CHECK(ratio.metadata.samples == 0);
    const json info = run_json({"info", path});
    CHECK(info["values"] == "ratio");
    CHECK_FALSE(info.contains("metadata"));
    check_failure(run_skde({"compare", path, a}), 3, {path, "'ratio'", "instead of a density"});
  }
  const std::string risk = folder.path("risk.vti");
  REQUIRE(run_skde({"compare", a, b, "--log", "-o", risk, "--quiet"}).exit_code == 0);
  CHECK(content_of(risk).find("Name=\"log_ratio\"") != std::string::npos);
}

TEST_CASE("compare refuses different grids, and brings one onto the other where it is told to") {
  const TemporaryFolder folder;
  const std::string a = compared_density(folder, "a.vti", 0),
                    b = compared_density(folder, "b.nrrd", 0,
                                         {"--dims", "40,48,56", "--bounds", "-5,-6,-7:5,6,7"});
  check_failure(run_skde({"compare", a, b}), 3, {a, b, "different grids", "--resample"});
  const json onto_a = run_json({"compare", a, b, "--resample", "B"});
  CHECK(onto_a["grid"]["dims"] == json({16, 12, 20}));
  CHECK(onto_a["resampled"]["path"] == b);
  CHECK(onto_a["l1"].get<double>() < 0.05);
  const json onto_b = run_json({"compare", a, b, "--resample", "A"});
  CHECK(onto_b["grid"]["dims"] == json({40, 48, 56}));
  CHECK(onto_b["resampled"]["mass_before"].get<double>() ==
        Approx(io::read_volume(a).volume.mass()));
  const std::string far = compared_density(folder, "far.vti", 100, {"--dims", "8"});
  check_failure(run_skde({"compare", a, far, "--resample", "A"}), 3, {a, "no cell centre"});
}

TEST_CASE("compare warns of masses, units and axes that differ") {
  const TemporaryFolder folder;
  std::vector<std::string> more = kCells;
  more.insert(more.end(), {"--normalize", "count", "--units", "m"});
  const std::string a = compared_density(folder, "a.nc", 0, more);
  more.back() = "km";
  more[5] = "density";
  const std::string b = compared_density(folder, "b.vti", 0, more);
  const RunResult run = run_skde({"compare", a, b, "--json"});
  REQUIRE(run.exit_code == 0);
  const json warnings = json::parse(run.out)["warnings"];
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0]["kind"] == "units");
  CHECK(warnings[1]["kind"] == "masses");
  CHECK(warnings[1]["parameter"] == "normalize");
}

TEST_CASE("compare refuses what it cannot do, and leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string a = compared_density(folder, "a.vti", 0);
  const std::string negative = folder.file(
      "c.nrrd",
      "NRRD0004\ntype: signed char\ndimension: 3\nsizes: 2 1 1\nspacings: 1 1 1\naxis mins: 0 0 0\n"
      "encoding: raw\n\n\1\xff");
  const std::string bare = folder.file(
      "d.nrrd", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 1 1\nencoding: raw\n\n\1\2");
  const std::size_t files = folder.names().size();
  check_failure(run_skde({"compare", a}), 2, {"two volumes; got 1"});
  check_failure(run_skde({"compare", a, a, "--floor", "0.1"}), 2, {"--floor", "-o FILE"});
  check_failure(run_skde({"compare", a, a, "--log", "--floor", "0", "-o", folder.path("r.vti")}), 2,
                {"floor"});
  check_failure(run_skde({"compare", a, a, "--floor", "1", "-o", folder.path("r.vti")}), 2,
                {"floor", "share"});
  check_failure(run_skde({"compare", a, a, "-o", a}), 2, {"overwrite the input"});
  check_failure(run_skde({"compare", a, a, "--resample", "C"}), 2, {"--resample"});
  check_failure(run_skde({"compare", a, folder.path("none.vti")}), 3, {"none.vti"});
  check_failure(run_skde({"compare", negative, negative}), 3, {"c.nrrd", "negative"});
  check_failure(run_skde({"compare", bare, bare}), 3, {"d.nrrd", "the coordinates of its cells"});
  check_failure(run_skde({"compare", a, a, "--quiet"}), 2, {"--quiet"});
  CHECK(folder.names().size() == files);
}
