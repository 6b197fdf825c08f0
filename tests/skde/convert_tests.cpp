#include <nlohmann/json.hpp>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

namespace {

/// Computes a density of 8 x 16 x 32 cells, and returns its path.
std::string converted_density(const TemporaryFolder& folder, const char* name) {
  std::string path = folder.path(name);
  check_success(run_skde({"density", folder.file("a.xyz", spread_rows(50)), "-o", path, "--bounds",
                          "-4,-4,-4:4,4,4", "--bandwidth", "3", "--dims", "8,16,32", "--units", "m",
                          "--quiet"}));
  return path;
}

bool same_values(const Volume& a, const Volume& b) {
  const auto left = a.values<float>(), right = b.values<float>();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

}  // namespace

TEST_CASE("convert keeps grid, values and metadata, through every format") {
  const TemporaryFolder folder;
  const io::VolumeFile before = io::read_volume(converted_density(folder, "a.vti"));
  std::string input = folder.path("a.vti");
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const std::string output =
        folder.path(std::string("b_").append(format.name).append(format.extension));
    const json summary =
        run_json({"convert", input, "-o", output, "--format", std::string(format.name)});
    CHECK(summary["kind"] == "conversion");
    CHECK(summary["grid"]["dims"] == json({8, 16, 32}));
    CHECK(summary["written"][0]["path"] == output);
    CHECK(summary["written"].size() == (format.companion.empty() ? 1 : 2));
    const io::VolumeFile after = io::read_volume(output);
    CHECK(after.volume.grid() == before.volume.grid());
    CHECK(same_values(after.volume, before.volume));
    CHECK(after.metadata.command_line == before.metadata.command_line);
    CHECK(after.metadata.samples == 50);
    CHECK(after.metadata.units == "m");
    CHECK(after.metadata.H == before.metadata.H);
    input = output;
  }
}

TEST_CASE("convert of a volume of others claims nothing of how it was made") {
  const TemporaryFolder folder;
  const std::string input = folder.file(
      "a.nrrd",
      "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 1 1\nspacings: 1 1 1\naxis mins: 0 0 0\n"
      "encoding: raw\n\n\1\2");
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const std::string output = folder.path(std::string("b").append(format.extension));
    check_success(run_skde({"convert", input, "-o", output, "--quiet"}));
    const std::string bytes = content_of(output) + content_of(output + ".json");
    for (const char* const claim : {"kernel", "Kernel", "mass_in_box", "probability"})
      CHECK(bytes.find(claim) == std::string::npos);
    const json info = run_json({"info", output});
    CHECK_FALSE(info.contains("metadata"));
    CHECK(info["grid"]["first_centre"] == json({0.5, 0.5, 0.5}));
    CHECK(info["maximum"] == 2);
  }
}

TEST_CASE("convert refuses what it cannot do, and leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string input = converted_density(folder, "a.nrrd");
  const std::size_t files = folder.names().size();
  check_refused(folder, "convert @a.nrrd", 2, {"-o FILE"});
  check_refused(folder, "convert -o @b.vti", 2, {"one file; got 0"});
  check_refused(folder, "convert @a.nrrd @a.nrrd -o @b.vti", 2, {"one file; got 2"});
  check_refused(folder, "convert @a.nrrd -o @b.obj", 2, {"b.obj", ".vti"});
  check_refused(folder, "convert @a.nrrd -o @a.nrrd", 2, {"overwrite the input"});
  check_refused(folder, "convert @a.nrrd -o @no/b.vti", 4, {"no/b.vti"});
  check_refused(folder, "convert @a.xyz -o @b.vti", 3,
                {"a.xyz", "its extension is that of a point cloud", "skde density"});
  check_refused(folder, "convert @a.nrrd -o -", 2, {"standard output", "--format"});
  CHECK(folder.names().size() == files);
  folder.file("c.nrrd", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 1 1\nencoding: raw\n\n\1\2");
  check_refused(folder, "convert @c.nrrd -o @b.vti", 3, {"the coordinates of its cells"});
}

TEST_CASE("A volume goes to standard output, and its summary to standard error") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const Arguments density = in(folder, "density @a.xyz --dims 8,8,8 --bandwidth 2");
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    INFO(format.name);
    const RunResult result =
        run_skde(density + Arguments{"-o", "-", "--format", std::string(format.name), "--json"});
    REQUIRE(result.exit_code == 0);
    CHECK(result.err.find("\"written\"") != std::string::npos);
    CHECK((result.err.find("skde: warning") != std::string::npos) == !format.companion.empty());
    const std::string path = folder.file(std::string("out").append(format.extension), result.out);
    CHECK(io::read_volume(path).volume.grid().dims[2] >= 1);
    if (!format.companion.empty()) continue;
    const RunResult converted =
        run_skde({"convert", path, "-o", "-", "--format", "nrrd", "--quiet"});
    check_success(converted);
    CHECK(converted.out.starts_with("NRRD0005\n"));
  }
  Arguments full = density + words("-o - --format nrrd --quiet");
  const RunResult lost = run_skde(full, {.output_file = "/dev/full"});
  CHECK(lost.exit_code == 4);
  CHECK(lost.err.find("standard output") != std::string::npos);
}

TEST_CASE("The flag --like takes a grid by its header, and --bounds places one without place") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(50)), output = folder.path("b.vti");
  const std::string head = "NRRD0004\ntype: float\ndimension: 3\nsizes: 4 5 6\nencoding: raw\n";
  // The file has no values; only its header is read.
  const std::string placed =
      folder.file("placed.nrrd", head + "spacings: 1 2 3\naxis mins: -2 -5 -9\n\n");
  // These few cells are too coarse for any kernel here, which is warned of.
  const auto document = [](std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const RunResult result = run_skde(arguments);
    CHECK(result.exit_code == 0);
    return json::parse(result.out);
  };
  const json summary = document({"density", cloud, "-o", output, "--like", placed});
  CHECK(summary["grid"]["dims"] == json({4, 5, 6}));
  CHECK(summary["grid"]["bounds"]["lower"] == json({-2, -5, -9}));
  const std::vector<std::string> bounds{"--bounds", "-4,-5,-6:4,5,6"};
  const std::string bare = folder.file("bare.nrrd", head + "\n");
  Arguments like = in(folder, "density @a.xyz -o @b.vti --like @bare.nrrd");
  check_failure(run_skde(like), 3, {"bare.nrrd", "the coordinates of its cells", "--bounds"});
  like.insert(like.end(), bounds.begin(), bounds.end());
  const json given = document(like);
  CHECK(given["grid"]["dims"] == json({4, 5, 6}));
  CHECK(given["grid"]["bounds"]["lower"] == json({-4, -5, -6}));
  CHECK(given["grid"]["spacing"] == json({2, 2, 2}));
  like[5] = placed;
  check_failure(run_skde(like), 2, {"--bounds contradicts --like"});
}

TEST_CASE("The description of an array is listed under what was written") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string output = folder.path("a.npy");
  folder.file("a.json", "my own");
  const json summary = run_json(folder, "density @a.xyz --dims 8,8,8 -o @a.npy");
  REQUIRE(summary["written"].size() == 2);
  CHECK(summary["written"][1]["what"] == "description");
  CHECK(summary["written"][1]["path"] == output + ".json");
  CHECK(content_of(folder.path("a.json")) == "my own");
}

TEST_CASE("convert says where axes that are turned will be taken for others") {
  const TemporaryFolder folder;
  const auto head = [](const char* space) {
    return std::string("NRRD0004\ntype: uchar\ndimension: 3\nspace: ") + space +
           "\nsizes: 2 1 1\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\n"
           "encoding: raw\n\n\1\2";
  };
  const std::string turned = folder.file("lps.nrrd", head("left-posterior-superior"));
  for (const char* output : {"b.nrrd", "b.nii"}) {
    const RunResult result = run_skde({"convert", turned, "-o", folder.path(output)});
    CHECK(result.exit_code == 0);
    CHECK(result.err.find("its axes point left-posterior-superior") != std::string::npos);
  }
  CHECK(run_skde(folder, "convert @lps.nrrd -o @b.vti").err.find("axes point") ==
        std::string::npos);
  folder.file("ras.nrrd", head("right-anterior-superior"));
  CHECK(run_skde(folder, "convert @ras.nrrd -o @c.nrrd").err.find("axes point") ==
        std::string::npos);
}

TEST_CASE("info shows the warnings that a volume was written with") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(50));
  for (const char* name : {"a.vti", "a.nrrd", "a.npy"}) {
    const std::string path = folder.path(name);
    REQUIRE(run_skde({"density", cloud, "-o", path, "--bounds", "-4,-4,-4:4,4,4", "--bandwidth",
                      "0.3", "--dims", "8", "--quiet"})
                .exit_code == 0);
    const json warnings = run_json({"info", path})["metadata"]["warnings"];
    REQUIRE(warnings.size() == 1);
    const RunResult page = run_skde({"info", path});
    check_success(page);
    CHECK(page.out.find(warnings[0].get<std::string>().substr(0, 40)) != std::string::npos);
  }
}

TEST_CASE("the tree of an OpenVDB volume is counted by its blocks") {
  const io::VolumeFormat& vdb = io::volume_format_for("a.vdb");
  const auto beyond = [&](std::array<std::int64_t, 3> dims) {
    return static_cast<double>(vdb.held_beyond({{0, 0, 0}, {1, 1, 1}, dims}, Precision::f32));
  };
  CHECK(beyond({1, 20000000, 1}) > 8e9);  // for 80 MB of values
  CHECK(beyond({512, 512, 512}) < 0.15 * 4 * 512 * 512 * 512);
}
