#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/volume_comparison.hpp"

using namespace skde::test;
using skde::Precision;
using skde::Volume;

namespace {

/// Writes the moments of all these inputs, read in this many parts, and returns the path.
std::string moments_of(const TemporaryFolder& folder, const Arguments& inputs, int parts) {
  Arguments files;
  for (int k = 1; k <= parts; ++k) {
    files.push_back(folder.path(fmt::format("m{}.json", k)));
    check_success(run_skde(
        Arguments{"moments"} + inputs +
        Arguments{"--part", fmt::format("{}/{}", k, parts), "-o", files.back(), "--quiet"}));
  }
  std::string all = folder.path(fmt::format("moments{}.json", parts));
  check_success(run_skde(Arguments{"merge"} + files + Arguments{"-o", all, "--quiet"}));
  return all;
}

/// Returns the volume merged from partial sums of this many parts; `text` is the standard input.
std::string merged(const TemporaryFolder& folder, const Arguments& arguments, int parts,
                   const std::string& text = "") {
  Arguments files;
  for (int k = 1; k <= parts; ++k) {
    files.push_back(folder.path(fmt::format("p{}.skp", k)));
    RunSettings settings;
    settings.input = text;
    check_success(run_skde(
        Arguments{"density"} + arguments +
            Arguments{"--part", fmt::format("{}/{}", k, parts), "-o", files.back(), "--quiet"},
        settings));
  }
  const std::string volume = folder.path("merged.npy");
  check_success(run_skde(Arguments{"merge"} + files + Arguments{"-o", volume, "--quiet"}));
  return content_of(volume);
}

/// Returns rows with weights of many magnitudes, some of which are not usable samples.
std::string weighted_rows(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) {
    const double t = 0.37 * i;
    rows += fmt::format("{} {} {} {}\n", 1e5 + 3 * std::sin(t), std::cos(2.1 * t),
                        i % 50 == 7 ? NAN : std::sin(0.7 * t) * std::cos(t),
                        i % 60 == 9 ? 0 : std::exp(std::sin(3 * t) * 6));
  }
  return rows;
}

}  // namespace

TEST_CASE("partial sums merge into the same bits whatever the split", "[partial]") {
  const TemporaryFolder folder;
  const std::string text = spread_rows(3000);
  const std::string cloud = folder.file("a.xyz", text);
  Arguments given{"--bounds", "-3,-3,-3:3,3,3", "--dims", "20", "--bandwidth", "0.8,0.6,1"};
  const bool gaussian = GENERATE(false, true);
  if (gaussian) given = given + words("--kernel gaussian --tolerance 1e-5");
  const std::string whole = merged(folder, Arguments{cloud} + given, 1);
  for (const int parts : {2, 5}) CHECK(merged(folder, Arguments{cloud} + given, parts) == whole);
  CHECK(merged(folder, Arguments{"-"} + given, 3, text) == whole);  // from a pipe, divided by rows
  const std::string plain = folder.path("plain.npy");
  check_success(run_skde(in(folder, "density @a.xyz -o @plain.npy --quiet") + given));
  const auto a = skde::io::read_volume(folder.path("merged.npy")), b = skde::io::read_volume(plain);
  CHECK(relative_distance(a.volume, b.volume) <= a.metadata.error_bound + b.metadata.error_bound);
  CHECK(a.metadata.samples == 3000);
  CHECK(a.metadata.mass_in_box == Approx(b.metadata.mass_in_box).epsilon(0.02));
}

TEST_CASE("moments give bandwidth, box and weights of parts the same bits", "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", weighted_rows(4000));
  const Arguments read{cloud, "--weights", "4"};
  const std::string one = moments_of(folder, read, 1), four = moments_of(folder, read, 4);
  const Arguments wanted{"--dims",   "16",        "--precision", "f64",
                         "--kernel", "triweight", "--bandwidth", "silverman"};
  const std::string whole = merged(folder, read + wanted + Arguments{"--moments", one}, 1);
  CHECK(merged(folder, read + wanted + Arguments{"--moments", four}, 3) == whole);
  CHECK(merged(folder, read + wanted + Arguments{"--moments", four}, 7) == whole);
  const std::string plain = folder.path("plain.npy");
  check_success(run_skde(Arguments{"density"} + read + wanted +
                         in(folder, "--bounds all --engine naive -o @plain.npy --quiet")));
  const auto a = skde::io::read_volume(folder.path("merged.npy")), b = skde::io::read_volume(plain);
  CHECK(a.volume.precision() == Precision::f64);
  CHECK(a.metadata.total_weight == Approx(b.metadata.total_weight).epsilon(1e-14));
  CHECK(a.metadata.effective_samples == Approx(b.metadata.effective_samples).epsilon(1e-13));
  CHECK(a.metadata.H.xy == Approx(b.metadata.H.xy).epsilon(1e-9));
  CHECK(a.volume.maximum() == Approx(b.volume.maximum()).epsilon(1e-8));
  const std::string part = folder.path("auto.skp");
  check_success(run_skde(
      Arguments{"density"} + read +  // without a bandwidth: auto
      Arguments{"--dims", "16", "--moments", one, "--part", "1/1", "-o", part, "--quiet"}));
  const RunResult told = run_skde(folder, "merge @auto.skp -o @auto.npy --quiet");
  CHECK(told.exit_code == 0);
  CHECK(told.err.find("took Silverman's rule") != std::string::npos);
  CHECK(told.err.find("'skde bandwidth'") != std::string::npos);
}

TEST_CASE("several files, and merges of merges, are one cloud of parts", "[partial]") {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.xyz", spread_rows(900)),
                    b = folder.file("b.xyz", spread_rows(700, 0.3));
  const Arguments given{"--bounds", "-3,-3,-3:3,3,3", "--dims", "12", "--bandwidth", "0.8,0.6,1"};
  const std::string whole = merged(folder, Arguments{a, b} + given, 1);
  CHECK(merged(folder, Arguments{a, b} + given, 3) == whole);
  const auto sum = [&](const Arguments& what, const char* name) {
    check_success(run_skde(Arguments{"density"} + what + given +
                           Arguments{"-o", folder.path(name), "--quiet"}));
  };
  sum({a, "--part", "1/2"}, "a1.skp");
  sum({a, "--part", "2/2"}, "a2.skp");
  sum({b}, "b.skp");
  check_success(run_skde(folder, "merge @a2.skp @b.skp -o @some.skp --quiet"));
  check_refused(folder, "merge @some.skp -o @c.npy", 3, {"part 1/2 of", "a.xyz is missing"});
  check_refused(folder, "merge @some.skp @b.skp -o @c.npy", 3,
                {"part 1/1 of", "b.xyz is given twice"});
  CHECK(!std::filesystem::exists(folder.path("c.npy")));
  check_success(run_skde(folder, "merge @some.skp @a1.skp -o @c.npy --quiet"));
  CHECK(content_of(folder.path("c.npy")) == whole);
}

TEST_CASE("merge normalises what parts have summed", "[partial]") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(500));
  check_success(run_skde(
      folder,
      "density @a.xyz --bounds -1,-1,-1:1,1,1 --dims 10 --bandwidth 0.8,0.6,1 -o @a.skp --quiet"));
  const auto mass = [&](const char* normalization) {
    const std::string volume = folder.path("a.vti");
    check_success(run_skde(
        {"merge", folder.path("a.skp"), "--normalize", normalization, "-o", volume, "--quiet"}));
    return skde::io::read_volume(volume).volume.mass();
  };
  CHECK(mass("box") == Approx(1).epsilon(1e-3));  // the sum of cells is close to the integral
  CHECK(mass("count") == Approx(500 * mass("density")).epsilon(1e-5));
}

TEST_CASE("kernels that parts have within the box have all their mass there", "[partial]") {
  const TemporaryFolder folder;
  folder.file("a.xyz", "0.3 0.2 0.1\n-0.6 0.8 1.4\n");
  check_success(run_skde(
      folder,
      "density @a.xyz --bounds -3,-3,-3:3,3,3 --dims 6 --bandwidth 0.7,0.7,0.7 -o @a.skp --quiet"));
  const std::string volume = folder.path("a.npy");
  const RunResult run = run_skde(folder, "merge @a.skp -o @a.npy --quiet");
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("kernels reach only") != std::string::npos);
  const auto read = skde::io::read_volume(volume);
  CHECK(read.metadata.mass_in_box == 1);
  CHECK(std::abs(read.volume.mass() - 1) > 0.02);  // with cells as wide as kernels
}

TEST_CASE("what parts cannot know, or do not go with, is told", "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", weighted_rows(300)), part = folder.path("a.skp");
  const auto fails = [&](const Arguments& more, int code,
                         std::initializer_list<std::string_view> texts) {
    check_failure(run_skde(in(folder, "density @a.xyz -o @a.skp") + more), code, texts);
    CHECK(!std::filesystem::exists(part));
  };
  const Arguments given{"--bounds", "0,-3,-3:2e5,3,3", "--dims", "8", "--bandwidth", "9,1,1"};
  fails({}, 2, {"bandwidth is derived from all samples", "--moments"});
  fails({"--bandwidth", "1,1,1"}, 2, {"the box is derived", "--bounds"});
  fails(given + Arguments{"--weights", "4"}, 2, {"weights", "--moments"});
  fails(given + Arguments{"--precision", "f64"}, 2, {"doubles", "--moments"});
  fails(given + Arguments{"--engine", "tile"}, 2, {"tile cannot sum parts"});
  fails(given + Arguments{"--normalize", "box"}, 2, {"skde merge"});
  fails(given + Arguments{"--part", "3/2"}, 2, {"no part 3 of 2"});
  fails(given + Arguments{"--part", "3"}, 2, {"K/N"});
  fails(given + words("--dims 3000,3000,3000 --memory-limit 1G"), 2, {"--dims"});
  fails({"--bounds", "0,-3,-3:2e5,3,3", "--dims", "3000,3000,3000", "--bandwidth", "9,1,1",
         "--memory-limit", "1G"},
        5, {"27000000000 cells", "--dims"});
  check_refused(folder, "density @a.xyz -o @a.vti --part 1/2", 2, {"--part", ".skp"});
  folder.file("b.xyz", spread_rows(100));
  check_success(run_skde(folder, "moments @b.xyz -o @m.json --quiet"));
  fails({"--moments", folder.path("m.json")}, 3, {"not among those of the moments"});
  fails({"--moments", folder.path("m.json"), "--weights", "4"}, 2, {"without weights"});
  fails({"--moments", cloud}, 3, {"a.xyz"});
}

TEST_CASE("the plan of a part says what its run does, and writes nothing", "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(300)), part = folder.path("a.skp");
  const Arguments given{"density",     cloud,   "--bounds", "-3,-3,-3:3,3,3",
                        "--bandwidth", "1,1,1", "--part",   "2/3"};
  const auto told = [&](const char* dims, const Arguments& more) {
    const RunResult run = run_skde(given + Arguments{"--dims", dims} + more);
    check_success(run);
    return run.out;
  };
  CHECK(told("12", {"--plan"}).find("2 of 3") != std::string::npos);
  const auto plan = nlohmann::json::parse(told("12", {"--plan", "--json", "-o", part}));
  CHECK(!std::filesystem::exists(part));
  CHECK(plan["obstacle"] == nullptr);
  const auto sums = nlohmann::json::parse(told("12", {"--json", "-o", part}));
  for (const char* const key : {"part", "parts", "kernel", "binary_digits", "grid"})
    CHECK(plan[key] == sums[key]);
  CHECK(plan["bandwidth"]["H"] == sums["H"]);
  CHECK(sums["engine"].get<std::string>().starts_with(plan["chosen"].get<std::string>()));
  const auto large =
      nlohmann::json::parse(told("2000", {"--plan", "--json", "--memory-limit", "1G"}));
  CHECK(large["obstacle"].get<std::string>().find("8000000000 cells") != std::string::npos);
  CHECK(large["memory"]["host_bytes"] > 8e9 * 8);
  check_failure(run_skde(given + in(folder, "--plan -o @a.vti")), 2, {".skp"});
  check_failure(run_skde(given + words("--plan --by 1")), 2, {"--by"});
}

TEST_CASE("merge refuses Gaussians that are cut elsewhere", "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(100));
  Arguments parts;
  for (const char* const tolerance : {"1e-4", "1e-5"}) {
    parts.push_back(folder.path(fmt::format("{}.skp", tolerance)));
    check_success(run_skde({"density", cloud, "--kernel", "gaussian", "--tolerance", tolerance,
                            "--bounds", "0,0,0:1,1,1", "--dims", "8", "--bandwidth", "1,1,1",
                            "--part", fmt::format("{}/2", parts.size()), "-o", parts.back()}));
  }
  check_failure(run_skde(Arguments{"merge"} + parts + Arguments{"-o", folder.path("m.vti")}), 3,
                {"tolerance of truncated kernels"});
}

TEST_CASE("merge refuses what does not go together by its name", "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(300));
  const auto sum = [&](const char* part, const char* bandwidth, const char* name) {
    std::string path = folder.path(name);
    check_success(run_skde({"density", cloud, "--bounds", "-3,-3,-3:3,3,3", "--dims", "8",
                            "--bandwidth", bandwidth, "--part", part, "-o", path, "--quiet"}));
    return path;
  };
  const std::string one = sum("1/2", "1,1,1", "one.skp"), two = sum("2/2", "1,1,1.1", "two.skp");
  const std::string out = folder.path("o.vti");
  check_failure(run_skde({"merge", one, two, "-o", out}), 3,
                {"two.skp", "bandwidth matrix H", "one.skp"});
  check_failure(run_skde({"merge", one, cloud, "-o", out}), 3,
                {"a.xyz", "not a file of partial sums"});
  check_failure(run_skde({"merge", one, "-o", folder.path("m.json")}), 2, {"moments"});
  check_failure(run_skde({"merge", one, folder.path("m.json"), "-o", out}), 2, {"mixed"});
  check_failure(run_skde({"merge", one, "--normalize", "box", "-o", folder.path("x.skp")}), 2,
                {"--normalize"});
  check_failure(run_skde({"merge", one, "-o", one}), 2, {"one.skp"});
  const std::string bytes = content_of(one);
  folder.file("cut.skp", bytes.substr(0, bytes.size() - 9));
  check_refused(folder, "merge @cut.skp -o @o.vti", 3, {"cut.skp", "bytes, but its"});
  CHECK(!std::filesystem::exists(out));
}

TEST_CASE("parts with boundaries merge into the same bits and the density of one run",
          "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(2000));
  const char* const boundary =
      GENERATE("reflect", "periodic", "renormalize", "periodic,reflect,renormalize");
  const Arguments given{"--bounds",    "-1.2,-2.3,-3.1:1.3,2.1,3", "--dims",     "14,15,26",
                        "--bandwidth", "0.5,0.2,-0.1,0.4,0.1,0.6", "--boundary", boundary};
  CAPTURE(boundary);
  const std::string whole = merged(folder, Arguments{cloud} + given, 1);
  CHECK(merged(folder, Arguments{cloud} + given, 3) == whole);
  const std::string plain = folder.path("plain.npy");
  const auto run = run_skde(
      in(folder, "density @a.xyz --precision f64 --engine naive -o @plain.npy --json") + given);
  check_success(run);
  const auto a = skde::io::read_volume(folder.path("merged.npy")), b = skde::io::read_volume(plain);
  CHECK(relative_distance(a.volume, b.volume) <= a.metadata.error_bound);
  CHECK(a.metadata.boundaries == b.metadata.boundaries);
}

TEST_CASE("samples that have no place in the box of parts are told of", "[partial]") {
  const TemporaryFolder folder;
  const std::string cloud = folder.file("a.xyz", spread_rows(300)), volume = folder.path("a.vti");
  for (const char* const part : {"1/2", "2/2"})
    check_success(run_skde({"density", cloud, "--bounds", "-3,-3,-1:3,3,1", "--bandwidth", "1,1,1",
                            "--dims", "8", "--boundary", "none,none,reflect", "--part", part, "-o",
                            folder.path(fmt::format("{}.skp", part[0])), "--quiet"}));
  const RunResult merged = run_skde(folder, "merge @1.skp @2.skp -o @a.vti --json");
  CHECK(merged.exit_code == 0);
  CHECK(merged.err.find("samples lie beyond a face") != merged.err.npos);
  CHECK(merged.out.find("\"beyond_faces\"") != merged.out.npos);
  CHECK(skde::io::read_volume(volume).metadata.warnings.size() == 1);
}
