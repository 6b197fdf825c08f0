#include <catch2/catch.hpp>
#include <filesystem>

#include "io/npy_header.hpp"
#include "io/points/row_index.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/volume_comparison.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Writes a cube of 24^3 samples, in layers of 2 along z, with an index of one block a layer.
std::string layers_in(const TemporaryFolder& folder) {
  std::vector<double> xyz;
  for (int i = 0; i < 24 * 24 * 24; ++i)
    xyz.insert(xyz.end(),
               {i % 24 + 0.01 * (i % 7), i / 24 % 24 + 0.01 * (i % 11), i / 576 + 0.01 * (i % 5)});
  std::string path = folder.path("layers.npy");
  io::write_npy(path, xyz, {24 * 24 * 24, 3});
  io::RowIndexBuilder builder(2 * 576);
  builder.add(xyz);
  io::write_row_index(path, builder.finish(std::filesystem::file_size(path)));
  return path;
}

}  // namespace

TEST_CASE("density reads the blocks of an indexed file that reach the box") {
  const TemporaryFolder folder;
  const std::string cloud = layers_in(folder), boxed = folder.path("boxed.npy"),
                    whole = folder.path("whole.npy");
  const Arguments flags{"--bounds", "2,2,4.5:20,20,5", "--bandwidth", "1,1,1", "--dims",
                        "30",       "--engine",        "span"};
  const auto plan = run_json(Arguments{"density", cloud, "--plan"} + flags);
  CHECK(plan["blocks"]["read"] == 2);  // layers at z = 2 to 3.04 are out of reach
  CHECK(plan["blocks"]["all"] == 12);
  CHECK(plan["blocks"]["share"].get<double>() == Approx(1.0 / 6));
  const auto run = run_json(Arguments{"density", cloud, "-o", boxed} + flags);
  CHECK(run["blocks"] == plan["blocks"]);
  CHECK(run["samples"]["used"] == 24 * 24 * 24);
  const RunResult shown = run_skde(Arguments{"density", cloud, "-o", boxed} + flags);
  CHECK(shown.out.find("2 of 12 blocks (17 %)") != std::string::npos);
  std::filesystem::remove(cloud + ".json");
  const auto all = run_json(Arguments{"density", cloud, "-o", whole} + flags);
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
