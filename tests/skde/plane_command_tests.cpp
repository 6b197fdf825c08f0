#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

std::string density_with_planes(const TemporaryFolder& folder) {
  std::string path = folder.path("a.vti");
  check_success(run_skde({"density", folder.file("a.xyz", spread_rows(80)), "-o", path, "--bounds",
                          "-4,-4,-4:4,4,4", "--bandwidth", "2,2,2", "--dims", "8,10,12", "--units",
                          "m", "--precision", "f64", "--quiet"}));
  return path;
}

/// Reads the numbers of a CSV file and returns its header.
std::string read_csv(const std::string& path, std::vector<std::vector<double>>& rows) {
  std::ifstream file(path);
  std::string header, line;
  std::getline(file, header);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');)
      rows.back().push_back(std::stod(field));
  }
  return header;
}

/// Returns a cloud with named columns.
std::string named_rows() {
  std::string rows = "long,lat,depth\n";
  for (int i = 0; i < 60; ++i)
    rows += std::to_string(180 + i * i % 17 * 0.31) + "," +
            std::to_string(-20 + i * 7 % 23 * 0.17) + "," + std::to_string(i * i * i % 31 * 13.7) +
            "\n";
  return rows;
}

}  // namespace

TEST_CASE("slice writes a table of places and values") {
  const TemporaryFolder folder;
  const std::string path = density_with_planes(folder);
  const io::VolumeFile volume = io::read_volume(path);
  const double between = volume.volume.grid().centre(0, 0, 6).z;
  const json slices = run_json(
      {"slice", path, "--at", std::to_string(between) + ",-3.9", "-o", folder.path("a.csv")});
  CHECK(slices["kind"] == "slices");
  CHECK(slices["axis"] == "z");
  CHECK(slices["at"][1] == -3.9);
  CHECK(slices["quantity"] == "density");
  std::vector<std::vector<double>> rows;
  CHECK(read_csv(folder.path("a.csv"), rows) == "x,y,z,density");
  REQUIRE(rows.size() == 2 * 8 * 10);
  for (std::size_t i = 0; i < 80; ++i) {
    CHECK(rows[i][3] ==
          Approx(volume.volume.at({rows[i][0], rows[i][1], between})).epsilon(1e-5).margin(1e-9));
    CHECK(rows[80 + i][3] == volume.volume.at({rows[i][0], rows[i][1], -3.9}));
    CHECK(rows[80 + i][2] == -3.9);
  }
}

TEST_CASE("slice and project write arrays with a description beside them") {
  const TemporaryFolder folder;
  const std::string path = density_with_planes(folder);
  check_success(run_skde(
      {"slice", path, "--axis", "y", "--sheet", "3", "-o", folder.path("a.npy"), "--quiet"}));
  // A header of 128 bytes, and 3 planes of nz * nx doubles.
  CHECK(std::filesystem::file_size(folder.path("a.npy")) == 128 + 3 * 12 * 8 * 8);
  const json beside = json::parse(std::ifstream(folder.path("a.npy.json")));
  CHECK(beside["across"] == "y");
  CHECK(beside["at"].size() == 3);
  CHECK(beside["rows"]["axis"] == "z");
  CHECK(beside["columns"]["axis"] == "x");
  CHECK(beside["columns"]["first_centre"] == -3.5);
  CHECK(beside["columns"]["spacing"] == 1);
  check_success(run_skde(folder, "project @a.vti --axis x -o @b.npy --quiet"));
  CHECK(std::filesystem::file_size(folder.path("b.npy")) == 128 + 12 * 10 * 8);
  CHECK(json::parse(std::ifstream(folder.path("b.npy.json")))["at"].is_null());
}

TEST_CASE("project sums up lines to the mass in the box, and finds their maxima") {
  const TemporaryFolder folder;
  const std::string path = density_with_planes(folder);
  const io::VolumeFile volume = io::read_volume(path);
  for (const std::string axis : {"x", "y", "z"}) {
    std::vector<std::vector<double>> sums, maxima;
    check_success(
        run_skde({"project", path, "--axis", axis, "-o", folder.path("a.csv"), "--quiet"}));
    CHECK(read_csv(folder.path("a.csv"), sums) == (axis == "x"   ? "y,z,integral"
                                                   : axis == "y" ? "x,z,integral"
                                                                 : "x,y,integral"));
    check_success(run_skde({"project", path, "--axis", axis, "--of", "maximum", "-o",
                            folder.path("b.csv"), "--quiet"}));
    CHECK(read_csv(folder.path("b.csv"), maxima).ends_with("maximum"));
    const Vec3 d = volume.volume.grid().spacing;
    const double area = axis == "x" ? d.y * d.z : axis == "y" ? d.x * d.z : d.x * d.y;
    double mass = 0, peak = 0;
    for (const auto& row : sums) mass += row[2] * area;
    for (const auto& row : maxima) peak = std::max(peak, row[2]);
    CHECK(mass == Approx(volume.volume.mass()).epsilon(1e-12));
    CHECK(peak == volume.volume.maximum());
  }
}

TEST_CASE("project takes integrals and maxima at once") {
  const TemporaryFolder folder;
  const std::string path = density_with_planes(folder);
  std::vector<std::vector<double>> sums, maxima, both;
  check_success(run_skde(folder, "project @a.vti -o @a.csv --quiet"));
  check_success(run_skde(folder, "project @a.vti --of maximum -o @b.csv --quiet"));
  const json told = run_json(folder, "project @a.vti --of both -o @c.csv");
  CHECK(told["quantities"][1]["quantity"] == "maximum");
  CHECK(told["quantities"][1]["peak"] == io::read_volume(path).volume.maximum());
  read_csv(folder.path("a.csv"), sums);
  read_csv(folder.path("b.csv"), maxima);
  CHECK(read_csv(folder.path("c.csv"), both) == "x,y,integral,maximum");
  REQUIRE(both.size() == sums.size());
  for (std::size_t i = 0; i < both.size(); ++i) {
    CHECK(both[i][2] == sums[i][2]);
    CHECK(both[i][3] == maxima[i][2]);
  }
  check_success(run_skde(folder, "project @a.vti --of both -o @d.npy --quiet"));
  CHECK(std::filesystem::file_size(folder.path("d.npy")) == 128 + 2 * 10 * 8 * 8);
  CHECK(json::parse(std::ifstream(folder.path("d.npy.json")))["quantity"] ==
        json({"integral", "maximum"}));
  check_success(run_skde(folder, "project @a.vti --of both -o @e_{}.csv --quiet"));
  maxima.clear();
  CHECK(read_csv(folder.path("e_maximum.csv"), maxima) == "x,y,maximum");
  CHECK(std::filesystem::exists(folder.path("e_integral.csv")));
#if SKDE_HAS_PICTURES
  check_refused(folder, "project @a.vti --of both -o @f.png", 2, {"f.png", "{}"});
  check_success(run_skde(folder, "project @a.vti --of both -o @f_{}.png --quiet"));
  CHECK(std::filesystem::file_size(folder.path("f_maximum.png")) > 1000);
#endif
}

#if SKDE_HAS_PICTURES
TEST_CASE("slice and project draw pictures") {
  const TemporaryFolder folder;
  density_with_planes(folder);
  const json sheet = run_json(folder, "slice @a.vti --sheet 7 -o @a.png");
  CHECK(sheet["at"].size() == 7);
  CHECK(sheet["written"][0]["what"] == "picture");
  CHECK(sheet["unit"] == "m\u207b\u00b3");
  const json middle = run_json(folder, "slice @a.vti -o @c.png")["at"];
  REQUIRE(middle.size() == 1);
  CHECK(middle[0].get<double>() == 0);
  const json above = run_json(folder, "project @a.vti -o @b.png --flip x");
  CHECK(above["unit"] == "m\u207b\u00b2");
  CHECK(std::filesystem::file_size(folder.path("b.png")) > 1000);
}
#endif

TEST_CASE("axes have the names of the volume's file, and places few digits") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("q.csv", named_rows()), volume = folder.path("q.vti"),
                    by_name = folder.path("name.csv"), by_letter = folder.path("letter.csv");
  check_success(run_skde(
      {"density", cloud, "--columns", "long,lat,depth", "--dims", "6", "-o", volume, "--quiet"}));
  for (const char* command : {"slice", "project"}) {
    check_success(run_skde({command, volume, "--axis", "Lat", "-o", by_name, "--quiet"}));
    check_success(run_skde({command, volume, "--axis", "y", "-o", by_letter, "--quiet"}));
    CHECK(content_of(by_name) == content_of(by_letter));
    check_failure(run_skde({command, volume, "--axis", "time", "-o", by_name}), 2,
                  {"'time'", "x (long), y (lat), z (depth)"});
  }
  const RunResult told = run_skde(folder, "slice @q.vti --axis depth -o @name.csv");
  check_success(told);
  CHECK(told.out.find("1 across depth") != std::string::npos);
  const RunResult beyond = run_skde(folder, "slice @q.vti --at 1e4 -o @name.csv");
  check_failure(beyond, 2, {"depth = 10000 is outside the box, which spans"});
  for (std::size_t at = 0, digits = 0; at < beyond.err.size(); ++at) {
    digits = std::isdigit(static_cast<unsigned char>(beyond.err[at])) ? digits + 1 : 0;
    CHECK(digits < 8);
  }
}

TEST_CASE("slice and project refuse what they cannot do, and leave no file") {
  const TemporaryFolder folder;
  density_with_planes(folder);
  const std::string output = folder.path("a.csv");
  check_refused(folder, "slice @a.vti --at 5 -o @a.csv", 2, {"--at", "outside"});
  check_refused(folder, "slice @a.vti --at x -o @a.csv", 2, {"--at"});
  check_refused(folder, "slice @a.vti --at 1 --sheet 3 -o @a.csv", 2, {"contradicts"});
  check_refused(folder, "slice @a.vti --axis w -o @a.csv", 2, {"--axis"});
  check_refused(folder, "slice @a.vti --sheet 1000 -o @a.csv", 2, {"--sheet"});
  check_refused(folder, "slice @a.vti -o @a.gif", 2, {"a.gif", ".png"});
  check_refused(folder, "slice @a.vti", 2, {"-o"});
  check_refused(folder, "project @a.vti -o @a.csv --flip x", 2, {"--flip"});
  check_refused(folder, "project @a.vti -o @a.vti", 2, {"a.vti"});
  check_refused(folder, "project @none.vti -o @a.csv", 3, {"none.vti"});
  CHECK(!std::filesystem::exists(output));
}
