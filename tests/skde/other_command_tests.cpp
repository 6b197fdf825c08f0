#include <nlohmann/json.hpp>

#include "core/cloud/synthetic_cloud.hpp"
#include "engines/registry/registry.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;
using nlohmann::json;

TEST_CASE("info tells the moments of a cloud and what a default run would use") {
  const TemporaryFolder folder;
  folder.file("a.xyz", "0 0 0\n2 0 0\n0 4 0\n0 0 6\nnan 0 0\n");
  const json info = run_json(folder, "info @a.xyz");
  CHECK(info["kind"] == "cloud");
  CHECK(info["samples"]["used"] == 4);
  CHECK(info["samples"]["dropped_non_finite"] == 1);
  CHECK(info["cloud"]["bounds"]["upper"] == json({2, 4, 6}));
  CHECK(info["cloud"]["mean"] == json({0.5, 1, 1.5}));
  CHECK(info["cloud"]["covariance"][0][0].get<double>() == Approx(0.75));
  CHECK(info["cloud"]["covariance"][0][1].get<double>() == Approx(-0.5));
  const json density = run_json(folder, "density @a.xyz -o @a.vti --engine openmp");
  CHECK(info["suggested"]["auto"]["h"].get<double>() ==
        Approx(density["bandwidth"]["h"].get<double>()));
  CHECK(info["suggested"]["auto"]["grid"]["dims"] == density["grid"]["dims"]);
  CHECK(info["suggested"]["auto"]["grid"]["bytes"] == density["grid"]["bytes"]);
  CHECK(info["suggested"]["scott"]["h"].get<double>() ==
        Approx(2.571926 * std::pow(4.0, -1.0 / 7)).epsilon(1e-5));
}

TEST_CASE("info depends on the kernel it is asked for") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(30));
  CHECK(run_json(folder, "info @a.xyz")["suggested"]["silverman"]["h"] <
        run_json(folder, "info @a.xyz --kernel triweight")["suggested"]["silverman"]["h"]);
}

TEST_CASE("info describes a flat cloud and says why there is no bandwidth") {
  const TemporaryFolder folder;
  folder.file("a.xyz", "0 0 5\n1 0 5\n0 1 5\n1 1 5\n");
  const RunResult result = run_skde(folder, "info @a.xyz");
  check_success(result);
  CHECK(result.out.find("4 read") != std::string::npos);
  CHECK(result.out.find("--regularize") != std::string::npos);
}

TEST_CASE("info refuses a cloud without samples and broken files") {
  const TemporaryFolder folder;
  check_failure(run_skde({"info", folder.file("a.xyz", "nan 0 0\n")}), 3, {"a.xyz"});
  check_refused(folder, "info @none.ply", 3, {"none.ply"});
  check_failure(run_skde({"info"}), 2, {"no input"});
}

TEST_CASE("info tells grid, values and metadata of a volume") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(50));
  const std::string volume = folder.path("a.vti");
  check_success(run_skde(folder,
                         "density @a.xyz -o @a.vti --bounds -4,-4,-4:4,4,4 --dims 40,20,36 --units "
                         "m --bandwidth 0.9"));
  const json info = run_json(folder, "info @a.vti");
  CHECK(info["kind"] == "volume");
  CHECK(info["grid"]["dims"] == json({40, 20, 36}));
  CHECK(info["grid"]["bounds"]["lower"] == json({-4, -4, -4}));
  CHECK(info["minimum"] == 0);
  CHECK(info["maximum"].get<double>() == Approx(io::read_volume(volume).volume.maximum()));
  CHECK(info["integral"].get<double>() == Approx(1).margin(0.2));
  CHECK(info["metadata"]["samples"]["used"] == 50);
  CHECK(info["metadata"]["bandwidth"]["h"] == 0.9);
  CHECK(info["metadata"]["units"] == "m");
  const RunResult text = run_skde(folder, "info @a.vti");
  check_success(text);
  CHECK(text.out.find("40 x 20 x 36") != std::string::npos);
  check_refused(folder, "info @a.vti --columns 1,2,3", 2, {"--columns"});
  check_refused(folder, "info @a.vti @a.xyz", 2, {"mixed"});
}

TEST_CASE("formats lists every format") {
  const RunResult result = run_skde({"formats"});
  check_success(result);
  const json list = run_json({"formats"});
  CHECK(list["points"].size() == io::point_formats().size());
  CHECK(list["volumes"].size() == io::volume_formats().size());
  for (const io::VolumeFormat& format : io::volume_formats())
    CHECK(result.out.find(format.extension) != std::string::npos);
  for (const io::PointFormat& format : io::point_formats())
    CHECK(result.out.find(format.extensions) != std::string::npos);
  CHECK(list["meshes"].size() == io::mesh_formats().size());
  for (const io::MeshFormat& format : io::mesh_formats())
    CHECK(result.out.find(format.summary) != std::string::npos);
  CHECK(list["pictures"][0]["extension"] == ".png");
  CHECK(result.out.find("Planes, written by slice and project") != std::string::npos);
  check_failure(run_skde({"formats", "stray"}), 2, {"'stray'"});
}

TEST_CASE("engines lists every engine, with the reason where one cannot run") {
  const RunResult result = run_skde({"engines"});
  check_success(result);
  const json list = run_json({"engines"})["engines"];
  REQUIRE(list.size() == engine_table().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const EngineEntry& entry = engine_table()[i];
    CHECK(list[i]["name"] == entry.traits.name);
    CHECK(list[i]["available"] == entry.unavailable().empty());
    CHECK(result.out.find(entry.traits.name) != std::string::npos);
    CHECK(result.out.find(entry.unavailable()) != std::string::npos);
  }
}

TEST_CASE("engines --for tells what each would take for a cloud, and why it refuses") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(500));
  folder.file("b.xyz", spread_rows(100));
  const Arguments flags = words("--bandwidth 2,2,2 --dims 40,40,40");
  const json rows = run_json(in(folder, "engines --for @a.xyz @b.xyz") + flags)["offers"];
  REQUIRE(rows.size() == engine_table().size());
  int chosen = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EngineEntry& entry = engine_table()[i];
    INFO(entry.traits.name);
    CHECK(rows[i]["name"] == entry.traits.name);
    // Refuses this kernel without a tolerance, or grids in general.
    const bool refuses = entry.traits.approximates || !entry.traits.serves_grids;
    CHECK(rows[i]["serves"] == (entry.unavailable().empty() && !refuses));
    if (!rows[i]["serves"]) {
      if (!refuses) CHECK(rows[i]["refusal"] == entry.unavailable());
      CHECK(!rows[i]["refusal"].get<std::string>().empty());
      continue;
    }
    CHECK(rows[i]["seconds"]["run"] > 0);
    CHECK(rows[i]["seconds"]["total"] >= rows[i]["seconds"]["run"]);
    CHECK(rows[i]["error"] > 0);
    CHECK(rows[i]["memory"]["host"] >= 0);
    chosen += rows[i]["chosen"] ? 1 : 0;
  }
  CHECK(chosen == 1);
  const RunResult page = run_skde(in(folder, "engines --for @a.xyz") + flags);
  check_success(page);
  CHECK_THAT(page.out, ContainsSubstring("500 samples onto 40 x 40 x 40 cells"));
  CHECK_THAT(page.out, !ContainsSubstring("`"));  // names flags, not parameters
  for (const EngineEntry& entry : engine_table())
    if (!entry.unavailable().empty())
      CHECK_THAT(page.out,
                 ContainsSubstring(std::string(entry.traits.name) + " cannot compute it: "));
  check_failure(run_skde(words("engines --dims 40")), 2, {"--dims", "--for"});
  check_refused(folder, "engines @a.xyz", 2, {input});
  check_refused(folder, "engines --for @none.xyz", 3, {"none.xyz"});
}

TEST_CASE("An engine that cannot run here is refused with the reason") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  for (const EngineEntry& entry : engine_table()) {
    if (entry.unavailable().empty()) continue;
    check_failure(run_skde({"density", input, "-o", folder.path("a.vti"), "--engine",
                            std::string(entry.traits.name)}),
                  5, {entry.traits.name, entry.unavailable()});
  }
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("generate writes the seeded cloud in every format") {
  const TemporaryFolder folder;
  const Samples expected = make_forest(5, 0, 70000);  // more than a chunk
  for (const char* name : {"a.ply", "a.npy", "a.csv", "a.xyz"}) {
    const std::string path = folder.path(name);
    check_success(run_skde({"generate", "forest", "--samples", "7e4", "--seed", "5", "-o", path}));
    NoProgress progress;
    const io::LoadedCloud cloud = io::load_cloud({path}, {}, io::NonFinite::error, progress);
    INFO(name);
    CHECK(cloud.points.xyz == expected.xyz);
  }
  CHECK(folder.names() == words("a.csv a.npy a.ply a.xyz"));
}

TEST_CASE("generate refuses what it cannot do") {
  const TemporaryFolder folder;
  check_refused(folder, "generate forrest -o @a.ply", 2, {"did you mean 'forest'?"});
  check_failure(run_skde({"generate", "forest"}), 2, {"-o FILE"});
  check_refused(folder, "generate -o @a.ply", 2, {"kind"});
  check_refused(folder, "generate forest --samples 0 -o @a.ply", 2, {"--samples"});
  check_refused(folder, "generate forest -o @a.obj", 2, {"a.obj", ".ply"});
  check_refused(folder, "generate forest -o @no/a.ply", 4, {"no/a.ply"});
  CHECK(folder.names().empty());
}

TEST_CASE("generate leaves nothing behind on a full disk or an interrupt") {
  const TemporaryFolder folder;
  check_failure(
      run_skde(folder, "generate uniform --samples 1e6 -o @a.csv", {.file_size_limit = 100000}), 4,
      {"a.csv"});
  const RunResult stopped =
      run_skde(folder, "generate uniform --samples 1e9 -o @a.csv", {.interrupt_after = 1.5});
  check_failure(stopped, 130, {"cancelled"});
  CHECK(folder.names().empty());
}

TEST_CASE("skde sort writes the same rows along a curve, with their index") {
  const TemporaryFolder folder;
  const std::string input = folder.path("a.npy"), output = folder.path("o.npy");
  check_success(run_skde(folder, "generate forest --samples 70000 -o @a.npy --quiet"));
  const Arguments sort{"sort", input, "--by", "hilbert", "-o", output};
  const nlohmann::json run = run_json(sort + words("--index --engine cpu"));
  CHECK(run["kind"] == "sorted");
  CHECK(run["rows"] == 70000);
  CHECK(run["runs"] == 1);
  CHECK(run["index_blocks"] == 2);
  CHECK(run["written"].size() == 2);
  CHECK(content_of(output + ".json").find("row_index") != std::string::npos);
  const std::string sorted = content_of(output);
  CHECK(sorted.size() == content_of(input).size());
  CHECK(run_json(sort + Arguments{"--memory-limit", "1M"})["runs"] > 1);
  CHECK(content_of(output) == sorted);
  const std::string again = folder.path("again.npy");
  check_success(run_skde(folder, "sort @o.npy --by hilbert -o @again.npy --quiet"));
  CHECK(content_of(again) == sorted);
}

TEST_CASE("skde sort refuses what it cannot put in order in one line") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", "x,y,z\n1,2,3\n4,inf,6\n");
  const std::string output = folder.path("o.csv");
  check_refused(folder, "sort @a.csv --by morton -o @o.csv", 3,
                {"row 2: a coordinate is not finite"});
  check_refused(folder, "sort @a.csv -o @o.csv", 2, {"no order is given", "--by"});
  check_refused(folder, "sort @a.csv --by w -o @o.csv", 2, {"--by", "'w'"});
  check_refused(folder, "sort @a.csv --by x", 2, {"no output is given"});
  check_refused(folder, "sort @a.csv --by x -o @a.csv", 2, {"input"});
  check_refused(folder, "sort @a.csv --by x --index -o @o.csv", 2, {"--index", "only an NPY file"});
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
}

TEST_CASE("An interrupt ends a sort and leaves nothing") {
  const TemporaryFolder folder;
  const std::string input = folder.path("a.npy");
  check_success(run_skde(folder, "generate uniform --samples 3e6 -o @a.npy --quiet"));
  const RunResult run = run_skde(
      {"sort", input, "--by", "hilbert", "--memory-limit", "8M", "-o", folder.path("o.npy")},
      {.interrupt_after = 0.1});
  if (run.was_interrupted) CHECK(run.exit_code == 130);
  if (run.exit_code != 0) CHECK(folder.names() == std::vector<std::string>{"a.npy"});
}
