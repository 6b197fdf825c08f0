#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

/// Rows of three kinds. The name of one cannot be part of a file name, nor stand in XML unescaped.
std::string rows() {
  std::ostringstream text;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  text << "x,y,z,kind,label\n";
  const char* const kinds[] = {"red", "a/<b>", "blue"};
  for (int i = 0; i < 300; ++i)
    text << normal(random) + i % 3 << ',' << normal(random) << ',' << normal(random) << ','
         << kinds[i % 3] << ',' << i % 2 << '\n';
  return text.str();
}

/// Returns the rows of one kind.
std::string rows_of(const std::string& kind) {
  std::istringstream all(rows());
  std::string line, found;
  while (std::getline(all, line))
    if (found.empty() || line.find("," + kind + ",") != std::string::npos)
      found.append(line).append("\n");
  return found;
}

}  // namespace

TEST_CASE("A volume a category is that of its samples alone on the same grid") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.csv", rows());
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const std::string pattern = folder.path("out_{}").append(format.extension);
    const json found =
        run_json({"density", cloud, "--by", "kind", "-o", pattern, "--format",
                  std::string(format.name), "--dims", "20", "--bandwidth", "silverman"});
    CHECK(found["kind"] == "categories");
    REQUIRE(found["categories"].size() == 3);
    CHECK(found["categories"][0]["name"] == "a/<b>");
    CHECK(found["categories"][1]["samples"] == 100);
    CHECK(found["categories"][2]["share"].get<double>() == Approx(1.0 / 3));
    CHECK(found["written"].size() == (format.companion.empty() ? 3 : 6));
    CHECK(found["written"][0]["path"] == folder.path("out_a__b_").append(format.extension));
    const std::string red = folder.path("out_red").append(format.extension);
    std::ostringstream matrix;
    matrix.precision(17);
    const json& H = found["categories"][2]["bandwidth"]["H"];
    for (int i = 0; i < 9; ++i) matrix << (i > 0 ? "," : "") << H[i / 3][i % 3].get<double>();
    const std::string alone = folder.path("alone.nrrd");
    check_success(run_skde({"density", folder.file("red.csv", rows_of("red")), "-o", alone,
                            "--like", red, "--bandwidth", matrix.str(), "--quiet"}));
    const io::VolumeFile file = io::read_volume(red);
    CHECK(relative_distance(file.volume, io::read_volume(alone).volume) < 1e-5);
    CHECK(file.metadata.category == "red");
    CHECK(file.metadata.samples == 100);
    CHECK(file.metadata.bandwidth_source == "silverman");
  }
}

TEST_CASE("One file holds the volumes of all categories, by their names") {
  const TemporaryFolder folder;
  folder.file("a.csv", rows());
  const std::string all = folder.path("all.vti");
  const Arguments density = in(folder, "density @a.csv --by kind --dims 20");
  const json found = run_json(density + in(folder, "-o @all.vti"));
  REQUIRE(found["written"].size() == 1);
  check_success(run_skde(density + in(folder, "-o @out_{}.vti --quiet")));
  for (const char* const name : {"a/<b>", "blue", "red"}) {
    INFO(name);
    const io::VolumeFile field = io::read_volume(all + ":" + name);
    const std::string part = std::string(name) == "a/<b>" ? "a__b_" : name;
    const io::VolumeFile file = io::read_volume(folder.path(fmt::format("out_{}.vti", part)));
    CHECK(relative_distance(field.volume, file.volume) == 0);
    CHECK(field.fields == words("a/<b> blue red"));
    CHECK(field.metadata.category == name);
    CHECK(field.metadata.samples == 100);
    CHECK(field.metadata.H == file.metadata.H);
    CHECK(field.metadata.mass_in_box == file.metadata.mass_in_box);
    CHECK(field.volume.grid() == file.volume.grid());
  }
  const json info = run_json(folder, "info @all.vti");
  REQUIRE(info["volumes"].size() == 3);
  CHECK(info["volumes"][1]["path"] == all + ":blue");
  CHECK(info["volumes"][1]["metadata"]["category"] == "blue");
  CHECK(run_json({"info", all + ":red"})["metadata"]["category"] == "red");
  const RunResult taken = run_skde(folder, "convert @all.vti -o @b.nrrd --quiet");
  CHECK(taken.exit_code == 0);
  CHECK(taken.err.find("holds 3 volumes; 'a/<b>' is used") != std::string::npos);
  check_success(run_skde(folder, "convert @all.vti --field red -o @r.nrrd --quiet"));
  CHECK(relative_distance(io::read_volume(folder.path("r.nrrd")).volume,
                          io::read_volume(folder.path("out_red.vti")).volume) == 0);
  const json apart = run_json({"compare", all + ":red", all + ":blue"});
  CHECK(apart["overlap"].get<double>() < 0.9);
  check_refused(folder, "convert @all.vti --field reed -o @n.nrrd", 3,
                {all, "'reed'", "did you mean 'red'"});
  check_failure(run_skde({"convert", all + ":red", "--field", "red", "-o", folder.path("n.nrrd")}),
                2, {"--field"});
  // The file of a field counts as an input, whatever follows the colon.
  check_failure(run_skde({"convert", all + ":red", "-o", all}), 2, {"overwrite the input"});
  check_failure(run_skde({"convert", folder.path("r.nrrd") + ":red", "-o", folder.path("n.vti")}),
                2, {"r.nrrd", "one volume"});
}

TEST_CASE("commands say which of several volumes they take, and take each with --field all") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.csv", rows()), all = folder.path("all.vti"),
                    apart = folder.path("out_{}.vti");
  for (const std::string& out : {all, apart})
    check_success(
        run_skde({"density", cloud, "--by", "kind", "--dims", "20", "-o", out, "--quiet"}));
  const auto alone = [&](const std::string& part) { return folder.path("out_" + part + ".vti"); };
  const Arguments names = words("a/<b> blue red"), parts{"a__b_", "blue", "red"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    const RunResult result = run_skde(arguments);
    INFO(arguments[0] << ": " << result.err);
    CHECK(result.exit_code == 0);
    return std::pair(json::parse(result.out), result.err);
  };
  const std::vector<std::vector<std::string>> commands{
      {"levels"},
      {"iso", "--mass", "0.5", "-o", folder.path("o_{}.ply")},
      {"slice", "--at", "0.1", "-o", folder.path("o_{}.csv")},
      {"project", "--of", "maximum", "-o", folder.path("o_{}.npy")},
      {"fit", "-k", "2", "--steps", "3", "-o", folder.path("o_{}.npy")}};
  for (const std::vector<std::string>& command : commands) {
    if (command[0] == "iso" && !SKDE_HAS_OPENVDB) continue;
    INFO(command[0]);
    const auto with = [&](const std::string& volume, std::vector<std::string> more = {}) {
      return Arguments{command[0], volume} + Arguments(command.begin() + 1, command.end()) + more;
    };
    const auto [first, warned] = run(with(all));
    CHECK_THAT(warned, ContainsSubstring("holds 3 volumes; 'a/<b>' is used"));
    CHECK(first["inputs"] == json({all + ":a/<b>"}));
    const auto [red, silent_one] = run(with(all, {"--field", "red"}));
    CHECK(silent_one.find("volumes") == std::string::npos);
    CHECK(red["inputs"] == json({all + ":red"}));
    const json each = run(with(all, {"--field", "all"})).first;
    REQUIRE(each["volumes"].size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const json single = run(with(alone(parts[i]))).first;
      CHECK(each["volumes"][i]["inputs"] == json({all + ":" + names[i]}));
      for (const char* const key : {"levels", "mass", "enclosed_mass", "peak", "relative_error"})
        if (single.contains(key)) CHECK(each["volumes"][i][key] == single[key]);
      if (command[0] != "levels")
        CHECK(each["volumes"][i]["written"][0]["path"].get<std::string>().find("o_" + parts[i]) !=
              std::string::npos);
    }
  }
  check_refused(folder, "slice @all.vti -o @o.csv --field all", 2, {"o.csv", "3 volumes", "{}"});
  check_failure(run_skde({"levels", all + ":red", "--field", "all"}), 2, {"--field"});
}

TEST_CASE("compare says which of several volumes it takes, and compares each with --field all") {
  const TemporaryFolder folder;
  folder.file("a.csv", rows());
  const std::string all = folder.path("all.vti");
  check_success(run_skde(folder, "density @a.csv --by kind --dims 20 -o @all.vti --quiet"));
  const RunResult first = run_skde({"compare", all, all + ":red", "--json"});
  CHECK(first.exit_code == 0);
  CHECK(json::parse(first.out)["inputs"][0] == all + ":a/<b>");
  CHECK_THAT(first.err, ContainsSubstring("holds 3 volumes; 'a/<b>' is used"));
  const json each = run_json({"compare", all, all + ":red", "--field", "all"});
  REQUIRE(each["volumes"].size() == 3);
  CHECK(each["volumes"][0]["overlap"] == json::parse(first.out)["overlap"]);
  CHECK(each["volumes"][2]["l1"] == 0);
  const json with_itself = run_json(folder, "compare @all.vti @all.vti --field all");
  for (const json& one : with_itself["volumes"]) CHECK(one["l1"] == 0);
}

TEST_CASE("A NetCDF file holds the volumes of all categories, by names that it can have") {
  if (!io::volume_format_for("a.nc").unavailable.empty()) return;
  const TemporaryFolder folder;
  std::string odd = "x,y,z,kind\n";
  for (int i = 0; i < 60; ++i)
    odd += fmt::format("{},{},{},{}\n", i * 7 % 11, i * 3 % 7, i * 5 % 13,
                       i % 3 == 0   ? "a/b"
                       : i % 3 == 1 ? "x"
                                    : "-9 ");
  folder.file("a.csv", odd);
  const std::string all = folder.path("all.nc");
  const Arguments density = in(folder, "density @a.csv --by kind --dims 12");
  CHECK(run_skde(density + in(folder, "-o @all.nc --quiet")).exit_code == 0);
  CHECK(run_skde(density + in(folder, "-o @all.vti --quiet")).exit_code == 0);
  const std::vector<std::string> fields = io::read_volume_head(folder.path("all.vti")).fields;
  REQUIRE(fields.size() == 3);
  for (const std::string& name : fields) {
    INFO(name);
    const std::string there = name == "a/b" ? "a_b" : name == "x" ? "x_" : "_" + name;
    const io::VolumeFile found = io::read_volume(fmt::format("{}:{}", all, there)),
                         expected = io::read_volume(folder.path("all.vti:") + name);
    CHECK(relative_distance(found.volume, expected.volume) == 0);
    CHECK(found.fields.size() == 3);
    CHECK(found.field == there);
    CHECK(found.metadata.category == name);
    CHECK(found.metadata.samples == expected.metadata.samples);
    CHECK(found.metadata.H == expected.metadata.H);
    CHECK(found.metadata.mass_in_box == expected.metadata.mass_in_box);
    CHECK(found.volume.grid() == expected.volume.grid());
  }
  CHECK(run_json(folder, "info @all.nc")["volumes"].size() == 3);
  check_refused(folder, "convert @all.nc --field ab -o @n.nrrd", 3,
                {all, "'ab'", "did you mean 'a_b'"});
}

TEST_CASE("Shares, own bandwidths and numbers as categories") {
  const TemporaryFolder folder;
  folder.file("a.csv", rows());
  const json shares = run_json(folder,
                               "density @a.csv --by label -o @out_{}.nrrd --by-normalize share "
                               "--by-bandwidth own --dims 40");
  REQUIRE(shares["categories"].size() == 2);
  CHECK(shares["categories"][0]["name"] == "0");
  CHECK(shares["categories"][0]["bandwidth"]["H"] != shares["categories"][1]["bandwidth"]["H"]);
  CHECK(io::read_volume(folder.path("out_1.nrrd")).volume.mass() == Approx(0.5).epsilon(0.01));
}

TEST_CASE("density by category refuses what it cannot do, and leaves nothing behind") {
  const TemporaryFolder folder;
  folder.file("a.csv", rows());
  const std::string out = folder.path("o_{}.vti");
  const Arguments by = in(folder, "density @a.csv --by kind --dims 8");
  const auto fails = [&](const std::vector<std::string>& more, int code,
                         std::initializer_list<std::string_view> fragments) {
    check_failure(run_skde(by + more), code, fragments);
  };
  fails({}, 2, {"-o FILE"});
  fails({"-o", "-", "--format", "vti"}, 2, {"standard output"});
  fails({"-o", folder.path("all.nrrd")}, 2, {"all.nrrd", "holds only one volume", "{}"});
  fails({"-o", out, "--max-categories", "2"}, 3, {"a.csv", "3 categories", "--max-categories"});
  fails({"-o", out, "--by-normalize", "share", "--normalize", "count"}, 2, {"--by-normalize"});
  fails({"-o", out, "--by-normalize", "share", "--sharpen"}, 2, {"--by-normalize", "sum"});
  fails({"-o", folder.path("no/o_{}.vti")}, 4, {"no"});
  fails({"-o", out, "--memory-limit", "1M"}, 5, {"--memory-limit"});
  fails({"-o", folder.path("all.vti"), "--bounds", "50,50,50:60,60,60"}, 3, {"a.csv"});
  check_refused(folder, "density @a.csv --by colour -o @o_{}.vti", 2, {"'colour'", "kind"});
  check_refused(folder, "density @a.csv --by-bandwidth own -o @o_{}.vti", 2, {"--by"});
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
}
