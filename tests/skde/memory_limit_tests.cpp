#include <algorithm>
#include <filesystem>

#include "io/points/row_index.hpp"
#include "io/values/npy_header.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Writes a cloud of this many samples to the folder, and returns its path.
std::string cloud_in(const TemporaryFolder& folder, const char* samples) {
  std::string path = folder.path("cloud.npy");
  check_success(
      run_skde({"generate", "five-gaussians", "--samples", samples, "-o", path, "--quiet"}));
  return path;
}

/// The relative_distance() of volumes in files.
double distance_of_files(const std::string& a, const std::string& b) {
  return relative_distance(io::read_volume(a).volume, io::read_volume(b).volume);
}

/// Writes a cube of 24^3 samples, in layers of 2 along z, with an index of one block a layer.
std::string layers_in(const TemporaryFolder& folder) {
  std::vector<double> xyz;
  for (int i = 0; i < 24 * 24 * 24; ++i)
    xyz.insert(xyz.end(),
               {i % 24 + 0.01 * (i % 7), i / 24 % 24 + 0.01 * (i % 11), i / 576 + 0.01 * (i % 5)});
  std::string path = folder.path("layers.npy");
  io::write_npy(path, xyz, {24 * 24 * 24, 3});
  io::RowIndexBuilder builder(2 * 576, 0);
  builder.add(xyz);
  io::write_row_index(path, builder.finish(std::filesystem::file_size(path)));
  return path;
}

}  // namespace

TEST_CASE("A cloud read in parts gives the density that it gives in memory") {
  const TemporaryFolder folder;
  const std::string cloud = cloud_in(folder, "3e6"), whole = folder.path("whole.vti"),
                    parts = folder.path("parts.vti");
  for (const std::vector<std::string>& kernel :
       {words("--bandwidth 0.3 --bounds=-4,-4,-4:4,4,4"),
        {"--bandwidth", "0.2,0.3,0.25", "--bounds", "-3,-3,-3:3,3,3"}}) {
    Arguments arguments =
        in(folder, "density @cloud.npy --dims 40,40,40 --quiet -o @whole.vti") + kernel;
    const double updates = run_json(arguments)["engine"]["updates"];
    std::ranges::replace(arguments, whole, parts);
    arguments.insert(arguments.end(), {"--memory-limit", "200M"});
    const auto summary = run_json(arguments);
    CHECK(summary["plan"]["part_samples"] > 0);
    CHECK(summary["samples"]["used"] == 3000000);
    CHECK(summary["engine"]["updates"].get<double>() == Approx(updates).epsilon(0.02));
#ifndef SKDE_SANITIZED  // sanitizers use memory themselves
    CHECK(summary["peak_memory"] < 250 << 20);
#endif
    CHECK(distance_of_files(whole, parts) < 1e-5);
  }
}

TEST_CASE("A pipe is read in parts where one pass is enough") {
  const TemporaryFolder folder;
  const std::string text = spread_rows(3000), file = folder.file("a.xyz", text);
  const Arguments flags = words("--bandwidth 3,3,3 --bounds -9,-9,-9:9,9,9 --dims 30 --quiet");
  check_success(run_skde(in(folder, "density @a.xyz -o @file.vti") + flags));
  check_success(
      run_skde(in(folder, "density - -o @pipe.vti --memory-limit 1G") + flags, {.input = text}));
  CHECK(distance_of_files(folder.path("file.vti"), folder.path("pipe.vti")) < 1e-5);
}

TEST_CASE("The engine that fits is taken, and the faster one that does not is told of") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  Arguments arguments =
      in(folder, "density @a.xyz -o @a.nrrd --dims 8,500000,8 --threads 2 --memory-limit 300M");
  const RunResult told = run_skde(arguments);
  check_success(told);
  CHECK_THAT(told.out, ContainsSubstring("not span"));
  CHECK_THAT(told.out, ContainsSubstring("may use only 300.00 MiB"));
  const auto engine = run_json(arguments)["engine"];
  CHECK(engine["name"] != "span");
  CHECK(engine["passed_over"][0]["name"] == "span");
  arguments.insert(arguments.end(), {"--engine", "span"});
  check_failure(run_skde(arguments), 5, {"--memory-limit"});
}

TEST_CASE("A limit that the volume exceeds is refused before and after reading") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  check_refused(folder, "density @a.xyz -o @a.vti --dims 100,100,100 --memory-limit 1M", 5,
                {"3.81 MiB", "1.00 MiB"});
  check_refused(folder, "density @a.xyz -o @a.vti --memory-limit x", 2, {"--memory-limit"});
  check_refused(folder, "density @a.xyz -o @a.vti --engine openmp --device-memory 1G", 2,
                {"--device-memory", "CPU"});
}

TEST_CASE("density reads the blocks of an indexed file that reach the box") {
  const TemporaryFolder folder;
  const std::string cloud = layers_in(folder), boxed = folder.path("boxed.npy"),
                    whole = folder.path("whole.npy");
  const Arguments flags{"--bounds", "2,2,4.5:20,20,5", "--bandwidth", "1,1,1", "--dims",
                        "30",       "--engine",        "span"};
  const auto plan = run_json(in(folder, "density @layers.npy --plan") + flags);
  CHECK(plan["blocks"]["read"] == 2);  // layers at z = 2 to 3.04 are out of reach
  CHECK(plan["blocks"]["all"] == 12);
  CHECK(plan["blocks"]["share"].get<double>() == Approx(1.0 / 6));
  const auto run = run_json(in(folder, "density @layers.npy --quiet -o @boxed.npy") + flags);
  CHECK(run["blocks"] == plan["blocks"]);
  CHECK(run["samples"]["used"] == 24 * 24 * 24);
  const RunResult shown = run_skde(in(folder, "density @layers.npy -o @boxed.npy") + flags);
  CHECK(shown.out.find("2 of 12 blocks (17 % of the rows") != std::string::npos);
  std::filesystem::remove(cloud + ".json");
  const auto all = run_json(in(folder, "density @layers.npy -o @whole.npy") + flags);
  CHECK(all["blocks"].is_null());
  CHECK(all["total_weight"] == run["total_weight"]);
  CHECK(all["cloud"]["bounds"] == run["cloud"]["bounds"]);
  CHECK(same_bits(io::read_volume(boxed).volume, io::read_volume(whole).volume));
}

TEST_CASE("info counts the samples in a box, by an index if there is one") {
  const TemporaryFolder folder;
  const std::string cloud = layers_in(folder);
  const Arguments flags{"info", cloud, "--bounds", "-1,-1,0.5:30,30,8"};
  const auto by_index = run_json(flags);
  CHECK(by_index["in_box"]["blocks"]["read"] == 2);
  CHECK(by_index["in_box"]["blocks"]["all"] == 12);
  std::filesystem::last_write_time(cloud + ".json", std::filesystem::file_time_type::min());
  const auto by_rows = run_json(flags);
  CHECK(by_rows["in_box"]["blocks"].is_null());
  CHECK(by_rows["index_ignored"].get<std::string>().find("written to") != std::string::npos);
  CHECK(by_index["in_box"]["samples"] == by_rows["in_box"]["samples"]);
  for (const char* const key : {"samples", "cloud", "suggested", "total_weight", "columns"})
    CHECK(by_index[key] == by_rows[key]);
}
