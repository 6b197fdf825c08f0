#include <unistd.h>

#include <filesystem>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;

namespace {

/// Runs `skde density` on a file with this content. Checks that it fails with this exit code and
/// one line that contains all fragments, and that the folder has no new files.
void check_refused(std::string_view name, std::string_view content,
                   const std::vector<std::string>& flags, int exit_code,
                   std::initializer_list<std::string_view> fragments) {
  const TemporaryFolder folder;
  const std::string input = folder.file(name, content);
  const auto before = folder.names();
  std::vector<std::string> arguments{"density", input, "-o", folder.path("out.vti")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  check_failure(run_skde(arguments), exit_code, fragments);
  CHECK(folder.names() == before);
}

const std::string kPlyHeader =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nend_header\n";

}  // namespace

TEST_CASE("A missing input is refused") {
  const TemporaryFolder folder;
  check_failure(run_skde({"density", folder.path("no.ply"), "-o", folder.path("out.vti")}), 3,
                {"no.ply"});
  CHECK(folder.names().empty());
}

TEST_CASE("An empty input is refused") {
  check_refused("a.ply", "", {}, 3, {"a.ply", "empty"});
  check_refused("a.xyz", "# nothing but a comment\n", {}, 3, {"a.xyz"});
}

TEST_CASE("A folder as input is refused") {
  const TemporaryFolder folder;
  check_failure(run_skde({"density", folder.path(""), "-o", folder.path("out.vti")}), 3, {});
}

TEST_CASE("A truncated file is refused") {
  check_refused("a.ply", kPlyHeader + "0 0 0\n1 1 1\n", {}, 3, {"a.ply"});
}

TEST_CASE("A header that lies about its count is refused before memory is asked for") {
  std::string header = kPlyHeader;
  header.replace(header.find("vertex 3"), 8, "vertex 9000000000000000");
  check_refused("a.ply", header + "0 0 0\n1 1 1\n", {}, 3, {"a.ply"});
  header.replace(header.find("ascii"), 5, "binary_little_endian");
  check_refused("b.ply", header + "0123456789ab", {}, 3, {"b.ply"});
}

TEST_CASE("An unknown property type is refused") {
  std::string header = kPlyHeader;
  header.replace(header.find("float y"), 7, "quux yy");
  check_refused("a.ply", header + "0 0 0\n1 1 1\n2 2 1\n", {}, 3, {"a.ply", "quux"});
}

TEST_CASE("Rows of unequal length are refused by line") {
  check_refused("a.csv", "x,y,z\n0,0,0\n1,2,3\n1,2\n", {}, 3, {"a.csv", "line 4"});
}

TEST_CASE("Fewer than two distinct samples are refused") {
  check_refused("a.xyz", "1 2 3\n", {}, 3, {"distinct", "--bandwidth"});
  check_refused("a.xyz", "1 2 3\n1 2 3\n1 2 3\n", {}, 3, {"distinct"});
}

TEST_CASE("A cloud of nothing but NaN is refused") {
  check_refused("a.xyz", "nan nan nan\n1 nan 3\n", {}, 3, {"no samples"});
  check_refused("a.xyz", "1 2 3\n1 nan 3\n", {"--nan", "error"}, 3, {"line 2", "--nan drop"});
}

TEST_CASE("A box without any sample is refused") {
  check_refused("a.xyz", spread_rows(50), {"--bounds", "100,100,100:101,101,101"}, 3,
                {"a.xyz", "outside", "--bounds"});
}

TEST_CASE("A flat cloud is refused with its direction and the flags that mend it") {
  check_refused("a.xyz", "0 0 5\n1 0 5\n0 1 5\n1 1 5\n", {}, 3,
                {"a.xyz", "plane", "z (0, 0, 1)", "--regularize", "--covariance iso"});
}

TEST_CASE("A collinear cloud is refused with its directions and the flags that mend it") {
  check_refused("a.xyz", "0 1 5\n1 1 5\n2 1 5\n4 1 5\n", {}, 3,
                {"line", "--regularize", "--covariance iso"});
}

TEST_CASE("Flat clouds work with the flags that the message names") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", "0 0 5\n1 0 5\n0 1 5\n1 1 5\n");
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--regularize", "0.01"}, {"--covariance", "iso"}}) {
    std::vector<std::string> arguments{"density", input, "-o", folder.path("out.vti"),
                                       "--dims",  "12"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    check_success(run_skde(arguments));
  }
}

TEST_CASE("Weights that are negative, all zero or not finite are refused") {
  const std::vector<std::string> weights{"--weights", "w"};
  check_refused("a.csv", "x,y,z,w\n0,0,0,1\n1,2,3,-1\n2,1,0,1\n", weights, 3,
                {"line 3", "negative"});
  check_refused("a.csv", "x,y,z,w\n0,0,0,0\n1,2,3,0\n", weights, 3, {"no samples"});
  check_refused("a.csv", "x,y,z,w\n0,0,0,nan\n1,2,3,nan\n", weights, 3, {"no samples"});
  check_refused("a.csv", "x,y,z,w\n0,0,0,1\n1,2,3,1\n", {"--weights", "v"}, 2, {"v"});
}

TEST_CASE("A bandwidth that is zero, negative or not a number is refused") {
  for (const char* bandwidth : {"0", "-1", "nan", "inf", "1,0,1", "1,2", "wide", ""})
    check_refused("a.xyz", spread_rows(20), {std::string("--bandwidth=") + bandwidth}, 2,
                  {"--bandwidth"});
}

TEST_CASE("Dims that are zero or unreadable are refused") {
  for (const char* dims : {"0", "10,0,10", "-5", "1,2", "ten", "99999999999"})
    check_refused("a.xyz", spread_rows(20), {std::string("--dims=") + dims}, 2, {"--dims"});
  for (const char* spacing : {"0", "-1", "nan", "1,2"})
    check_refused("a.xyz", spread_rows(20), {std::string("--spacing=") + spacing}, 2,
                  {"--spacing"});
  for (const char* bounds : {"0,0,0", "0,0,0:1,1,0", "0,0,0:1,1", "a"})
    check_refused("a.xyz", spread_rows(20), {std::string("--bounds=") + bounds}, 2, {"--bounds"});
}

TEST_CASE("A grid that cannot fit is refused with the bytes it would need") {
  check_refused("a.xyz", spread_rows(20), {"--dims", "1000000,1000000,1000000"}, 5,
                {"1000000 x 1000000 x 1000000", "EiB", "--dims"});
  check_refused("a.xyz", spread_rows(20), {"--dims", "2000000000,2000000000,2000000000"}, 5,
                {"--dims"});
  check_refused("a.xyz", spread_rows(20), {"--dims", "1000000"}, 5, {"PiB"});
  check_refused("a.xyz", spread_rows(20), {"--spacing", "1e-6"}, 5, {"--spacing"});
}

TEST_CASE("A grid that cannot fit is refused before the input is read") {
  const TemporaryFolder folder;
  const RunResult result =
      run_skde({"density", "-", "-o", folder.path("out.vti"), "--dims", "1000000,1000000,1000000"},
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
  const RunResult run =
      run_skde({"density", input, "-o", folder.path("a.vti")}, {.interrupt_after = 1.0});
  REQUIRE(run.was_interrupted);
  check_failure(run, 130, {"cancelled"});
  CHECK(folder.names() == std::vector<std::string>{"huge.npy"});
}

TEST_CASE("A volume that is no volume is refused as --like") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  const std::string like = folder.file("like.vti", "not a volume");
  check_failure(run_skde({"density", input, "-o", folder.path("out.vti"), "--like", like}), 3,
                {"like.vti"});
  check_failure(
      run_skde({"density", input, "-o", folder.path("out.vti"), "--like", folder.path("none.vti")}),
      3, {"none.vti"});
}
