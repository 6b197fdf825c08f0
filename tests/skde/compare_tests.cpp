#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/references/comparison_reference.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

const Arguments kCells = words("--dims 16,12,20 --bounds -5,-6,-7:5,6,7");

/// Computes a density of spread samples shifted by `offset`, and returns its path.
std::string compared_density(const TemporaryFolder& folder, const std::string& name, double offset,
                             std::vector<std::string> more = kCells) {
  std::string path = folder.path(name);
  REQUIRE(run_skde(Arguments{"density", folder.file(name + ".xyz", spread_rows(60, offset)), "-o",
                             path, "--bandwidth", "2,2,2", "--quiet"} +
                   more)
              .exit_code == 0);
  return path;
}

/// Checks the distances between two densities in every format.
void check_distances(const char* kernel) {
  const TemporaryFolder folder;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(kernel << " " << format.name);
    Arguments more = kCells + Arguments{"--kernel", kernel, "--format", std::string(format.name)};
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
    for (const auto& [i, j, k] : cells_of({16, 12, 20}))
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
  REQUIRE(run_skde(folder, "compare @a.vti @b.vti --log -o @risk.vti --quiet").exit_code == 0);
  CHECK(content_of(risk).find("Name=\"log_ratio\"") != std::string::npos);
}

TEST_CASE("compare refuses different grids, and brings one onto the other where it is told to") {
  const TemporaryFolder folder;
  const std::string a = compared_density(folder, "a.vti", 0),
                    b = compared_density(folder, "b.nrrd", 0,
                                         {"--dims", "40,48,56", "--bounds", "-5,-6,-7:5,6,7"});
  check_refused(folder, "compare @a.vti @b.nrrd", 3, {a, b, "different grids", "--resample"});
  const json onto_a = run_json(folder, "compare @a.vti @b.nrrd --resample B");
  CHECK(onto_a["grid"]["dims"] == json({16, 12, 20}));
  CHECK(onto_a["resampled"]["path"] == b);
  CHECK(onto_a["l1"].get<double>() < 0.05);
  const json onto_b = run_json(folder, "compare @a.vti @b.nrrd --resample A");
  CHECK(onto_b["grid"]["dims"] == json({40, 48, 56}));
  CHECK(onto_b["resampled"]["mass_before"].get<double>() ==
        Approx(io::read_volume(a).volume.mass()));
  const std::string far = compared_density(folder, "far.vti", 100, {"--dims", "8"});
  check_refused(folder, "compare @a.vti @far.vti --resample A", 3, {a, "no cell centre"});
}

TEST_CASE("compare warns of masses, units and axes that differ") {
  const TemporaryFolder folder;
  Arguments more = kCells + words("--normalize count --units m");
  const std::string a = compared_density(folder, "a.nc", 0, more);
  more.back() = "km";
  more[5] = "density";
  const std::string b = compared_density(folder, "b.vti", 0, more);
  const RunResult run = run_skde(folder, "compare @a.nc @b.vti --json");
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
  folder.file("d.nrrd", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 1 1\nencoding: raw\n\n\1\2");
  const std::size_t files = folder.names().size();
  check_refused(folder, "compare @a.vti", 2, {"two volumes; got 1"});
  check_refused(folder, "compare @a.vti @a.vti --floor 0.1", 2, {"--floor", "-o FILE"});
  check_refused(folder, "compare @a.vti @a.vti --log --floor 0 -o @r.vti", 2, {"floor"});
  check_refused(folder, "compare @a.vti @a.vti --floor 1 -o @r.vti", 2, {"floor", "share"});
  check_refused(folder, "compare @a.vti @a.vti -o @a.vti", 2, {"overwrite the input"});
  check_refused(folder, "compare @a.vti @a.vti --resample C", 2, {"--resample"});
  check_refused(folder, "compare @a.vti @none.vti", 3, {"none.vti"});
  check_refused(folder, "compare @c.nrrd @c.nrrd", 3, {"c.nrrd", "negative"});
  check_refused(folder, "compare @d.nrrd @d.nrrd", 3, {"d.nrrd", "the coordinates of its cells"});
  check_refused(folder, "compare @a.vti @a.vti --quiet", 2, {"--quiet"});
  CHECK(folder.names().size() == files);
}

namespace {

/// Writes 600 samples of kind `a` and 200 of `b`, of which every third lies about another place.
std::string two_kinds(const TemporaryFolder& folder) {
  std::string rows = "x,y,z,kind\n";
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 800; ++i) {
    const bool moved = i % 4 == 1 && i % 3 == 0;
    rows += std::to_string((moved ? 3 : 0) + normal(random) * (moved ? 0.5 : 1)) + ',' +
            std::to_string(normal(random)) + ',' + std::to_string(normal(random)) + ',' +
            (i % 4 == 1 ? "b" : "a") + '\n';
  }
  return folder.file("kinds.csv", rows);
}

/// Returns the z of every cell by its definition, for categories a and b of a file.
std::vector<double> scores_of(const std::string& file) {
  std::vector<Volume> read;
  for (const char* field : {"a", "b", "a_standard_error", "b_standard_error"})
    read.push_back(io::read_volume(file + ":" + field).volume);
  std::vector<double> z;
  for (std::size_t i = 0; i < read[0].values<float>().size(); ++i) {
    double v[4];
    for (std::size_t k = 0; k < 4; ++k) v[k] = static_cast<double>(read[k].values<float>()[i]);
    // The variance of one kernel over all 800 samples, as if both were of one density.
    const double mean = (600 * v[0] + 200 * v[1]) / 800,
                 squares = (600 * (600 * v[2] * v[2] + v[0] * v[0]) +
                            200 * (200 * v[3] * v[3] + v[1] * v[1])) /
                           800,
                 variance = (squares - mean * mean) * (1.0 / 600 + 1.0 / 200);
    z.push_back(variance > 0 ? (v[0] - v[1]) / std::sqrt(variance) : 0);
  }
  return z;
}

}  // namespace

TEST_CASE("density writes standard errors beside densities, and compare finds what differs") {
  const TemporaryFolder folder;
  const std::string cloud = two_kinds(folder);
  for (const char* extension : {".vti", ".nc"}) {
    INFO(extension);
    const std::string both = folder.path("both").append(extension);
    if (!io::volume_format_for(both).unavailable.empty()) continue;
    const Arguments common{
        "density", cloud, "--by", "kind", "--dims", "20,16,12", "--bounds=-4,-4,-4:5,4,4"};
    check_success(run_skde(common + Arguments{"-o", both, "--standard-error", "--quiet"}));
    const io::VolumeHead head = io::read_volume_head(both);
    CHECK(head.fields == words("a a_standard_error b b_standard_error"));
    CHECK(io::read_volume_head(both + ":b_standard_error").metadata.values == "b_standard_error");
    CHECK(io::read_volume_head(both + ":b").metadata.values.empty());
    const std::string z = folder.path("z.vti");
    const json found = run_json(
        {"compare", both + ":a", both + ":b", "--significance=0.01", "-o", z})["significance"];
    const std::vector<double> expected = scores_of(both);
    CHECK(found["level"] == 0.01);
    CHECK(found["largest"].get<double>() ==
          Approx(*std::ranges::min_element(expected)).epsilon(1e-4));
    const double threshold = found["threshold"].get<double>();
    CHECK(threshold > 3);
    CHECK(threshold < 5);
    double volume = 0;
    for (const double one : expected) volume += one < -threshold ? 9.0 * 8 * 8 / 3840 : 0;
    CHECK(found["b_denser"]["volume"].get<double>() == Approx(volume));
    CHECK(found["place"][0].get<double>() == Approx(3).margin(0.7));
    CHECK(found["b_denser"]["mass_b"] > 5 * found["b_denser"]["mass_a"].get<double>());
    const io::VolumeFile written = io::read_volume(z);
    CHECK(written.metadata.values == "z");
    for (std::size_t i = 0; i < expected.size(); i += 7)
      CHECK(written.volume.values<float>()[i] == Approx(expected[i]).epsilon(1e-4).margin(1e-4));
    // A file for each category, and a single density, name the field alike.
    const std::string each = folder.path("each_{}").append(extension),
                      of_a = folder.path("each_a").append(extension);
    check_success(run_skde(common + Arguments{"-o", each, "--standard-error", "--quiet"}));
    CHECK(io::read_volume_head(of_a).fields ==
          std::vector<std::string>{"density", "standard_error"});
    CHECK(run_json({"compare", of_a, folder.path("each_b").append(extension),
                    "--significance=0.01"})["significance"]["largest"] == found["largest"]);
    check_success(run_skde({"levels", of_a, "--quiet", "--json"}));  // without a warning
    for (const char* command : {"levels", "peaks", "clusters"})
      check_failure(run_skde({command, of_a + ":standard_error"}), 3, {"instead of a density"});
    check_failure(run_skde({"mass", of_a + ":standard_error", "--sphere", "0,0,0,1"}), 3,
                  {"instead of a density"});
  }
}

TEST_CASE(
    "density and compare refuse standard errors that have no place, and differences "
    "without them") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(60));
  const Arguments density{"density", cloud, "--dims", "8", "--standard-error"};
  check_failure(run_skde(density + Arguments{"-o", folder.path("a.nrrd")}), 2,
                {"--standard-error", "vti or netcdf"});
  check_failure(run_skde(density + Arguments{"--picture", folder.path("a.png")}), 2, {"-o FILE"});
  check_failure(run_skde(density + Arguments{"-o", folder.path("a.skp")}), 2, {"partial sums"});
  check_failure(run_skde(density + in(folder, "-o @a.vti --kernel cosine")), 2,
                {"cosine", "--standard-error", "gaussian"});
  for (const char* pilot : {"--adaptive", "--sharpen"})
    check_failure(run_skde(density + Arguments{"-o", folder.path("a.vti"), pilot}), 2, {pilot});
  CHECK(folder.names().size() == 1);
  const std::string a = compared_density(folder, "a.vti", 0);
  check_refused(folder, "compare @a.vti @a.vti --significance", 3,
                {a, "has no standard errors", "--standard-error"});
  check_refused(folder, "compare @a.vti @a.vti --significance --log -o @r.vti", 2,
                {"--log", "--significance"});
  check_refused(folder, "compare @a.vti @a.vti --significance=2", 2, {"--significance", "0.5"});
  const json plan = run_json(folder, "density @a.xyz --dims 8 --standard-error --plan");
  CHECK(plan["kind"] == "plan");
}
