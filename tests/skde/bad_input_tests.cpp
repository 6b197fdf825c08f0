#include <unistd.h>

#include <filesystem>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;

namespace {

const std::string kPlyHeader =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nend_header\n";

std::string ply_with(std::string_view old, std::string_view other, std::string_view rows) {
  std::string header = kPlyHeader;
  return header.replace(header.find(old), old.size(), other).append(rows);
}

/// A file, further flags, and how the run fails.
struct BadInput {
  std::string name, content;
  Arguments flags;
  int exit_code;
  Arguments fragments;
};

/// Runs `skde density` on the file. Checks that it fails with this exit code and one line that
/// contains all fragments, and that the folder has no new files.
void check_refused(const BadInput& bad) {
  CAPTURE(bad.name, bad.content.substr(0, 100), bad.flags);
  const TemporaryFolder folder;
  const std::string input = folder.file(bad.name, bad.content);
  const RunResult run =
      run_skde(Arguments{"density", input, "-o", folder.path("out.vti")} + bad.flags);
  check_failure(run, bad.exit_code, {});
  for (const std::string& fragment : bad.fragments)
    CHECK_THAT(run.err, ContainsSubstring(fragment));
  CHECK(folder.names() == Arguments{bad.name});
}

}  // namespace

TEST_CASE("Missing inputs and folders are refused") {
  const TemporaryFolder folder;
  check_failure(run_skde(folder, "density @no.ply -o @out.vti"), 3, {"no.ply"});
  check_failure(run_skde({"density", folder.path(""), "-o", folder.path("out.vti")}), 3, {});
  CHECK(folder.names().empty());
}

TEST_CASE("Files that are broken or hold no density are refused") {
  const std::string three = "0 0 0\n1 1 1\n2 2 1\n";
  const BadInput cases[]{
      {"a.ply", "", {}, 3, {"a.ply", "empty"}},
      {"a.xyz", "# nothing but a comment\n", {}, 3, {"a.xyz"}},
      {"a.ply", kPlyHeader + "0 0 0\n1 1 1\n", {}, 3, {"a.ply"}},
      // A count that lies is refused before memory is asked for.
      {"a.ply", ply_with("vertex 3", "vertex 9000000000000000", three), {}, 3, {"a.ply"}},
      {"b.ply",
       ply_with("ascii 1.0\nelement vertex 3",
                "binary_little_endian 1.0\nelement vertex 9000000000000000", "0123456789ab"),
       {},
       3,
       {"b.ply"}},
      {"a.ply", ply_with("float y", "quux yy", three), {}, 3, {"a.ply", "quux"}},
      {"a.csv", "x,y,z\n0,0,0\n1,2,3\n1,2\n", {}, 3, {"a.csv", "line 4"}},
      {"a.xyz", "1 2 3\n", {}, 3, {"distinct", "--bandwidth"}},
      {"a.xyz", "1 2 3\n1 2 3\n1 2 3\n", {}, 3, {"distinct"}},
      {"a.xyz", "nan nan nan\n1 nan 3\n", {}, 3, {"no samples"}},
      {"a.xyz", "1 2 3\n1 nan 3\n", {"--nan", "error"}, 3, {"line 2", "--nan drop"}},
      {"a.xyz",
       spread_rows(50),
       {"--bounds", "100,100,100:101,101,101"},
       3,
       {"a.xyz", "outside", "--bounds"}},
      {"a.xyz",
       "0 0 5\n1 0 5\n0 1 5\n1 1 5\n",
       {},
       3,
       {"a.xyz", "plane", "z (0, 0, 1)", "--regularize", "--covariance iso"}},
      {"a.xyz",
       "0 1 5\n1 1 5\n2 1 5\n4 1 5\n",
       {},
       3,
       {"line", "--regularize", "--covariance iso"}},
      {"a.csv",
       "x,y,z,w\n0,0,0,1\n1,2,3,-1\n2,1,0,1\n",
       {"--weights", "w"},
       3,
       {"line 3", "negative"}},
      {"a.csv", "x,y,z,w\n0,0,0,0\n1,2,3,0\n", {"--weights", "w"}, 3, {"no samples"}},
      {"a.csv", "x,y,z,w\n0,0,0,nan\n1,2,3,nan\n", {"--weights", "w"}, 3, {"no samples"}},
      {"a.csv", "x,y,z,w\n0,0,0,1\n1,2,3,1\n", {"--weights", "v"}, 2, {"v"}}};
  for (const BadInput& bad : cases) check_refused(bad);
}

TEST_CASE("Grids that cannot fit are refused with the bytes they would need") {
  const std::pair<Arguments, Arguments> large[]{
      {{"--dims", "1000000,1000000,1000000"}, {"1000000 x 1000000 x 1000000", "EiB", "--dims"}},
      {{"--dims", "2000000000,2000000000,2000000000"}, {"--dims"}},
      {{"--dims", "1000000"}, {"PiB"}},
      {{"--spacing", "1e-6"}, {"--spacing"}}};
  for (const auto& [flags, fragments] : large)
    check_refused({"a.xyz", spread_rows(20), flags, 5, fragments});
}

TEST_CASE("Flat clouds work with the flags that the message names") {
  const TemporaryFolder folder;
  folder.file("a.xyz", "0 0 5\n1 0 5\n0 1 5\n1 1 5\n");
  for (const Arguments& flags : {Arguments{"--regularize", "0.01"}, {"--covariance", "iso"}})
    check_success(run_skde(in(folder, "density @a.xyz -o @out.vti --dims 12") + flags));
}

TEST_CASE("A grid that cannot fit is refused before the input is read") {
  const TemporaryFolder folder;
  const RunResult result = run_skde(folder, "density - -o @out.vti --dims 1000000,1000000,1000000",
                                    {.keep_input_open = true});
  check_failure(result, 5, {"EiB"});
}

TEST_CASE("A cloud that cannot fit is read in parts, and can be interrupted") {
  const TemporaryFolder folder;
  std::string npy = "\x93NUMPY\x01" + std::string(1, 0) + "v" + std::string(1, 0) +
                    "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 3), }";
  npy.resize(127, ' ');
  const std::string input = folder.file("huge.npy", npy + "\n");
  std::filesystem::resize_file(input, 128 + 2400000000000ULL);  // a hole, which takes no space on
                                                                // disk
  const RunResult run = run_skde(folder, "density @huge.npy -o @a.vti", {.interrupt_after = 1.0});
  REQUIRE(run.was_interrupted);
  check_failure(run, 130, {"cancelled"});
  CHECK(folder.names() == std::vector<std::string>{"huge.npy"});
}

TEST_CASE("A volume that is no volume is refused as --like") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  const std::string like = folder.file("like.vti", "not a volume");
  check_failure(run_skde(folder, "density @a.xyz -o @out.vti --like @like.vti"), 3, {"like.vti"});
  check_failure(run_skde(folder, "density @a.xyz -o @out.vti --like @none.vti"), 3, {"none.vti"});
}
