#include "skde/program_run.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <filesystem>

#include "io/volumes/volume_formats.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"

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
  check_refused(folder, "density @no.ply -o @out.vti", 3, {"no.ply"});
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
  check_refused(folder, "density @a.xyz -o @out.vti --like @like.vti", 3, {"like.vti"});
  check_refused(folder, "density @a.xyz -o @out.vti --like @none.vti", 3, {"none.vti"});
}

TEST_CASE("An output in a folder that is not there is refused before reading") {
  const TemporaryFolder folder;
  const RunResult result = run_skde(folder, "density - -o @no/out.vti", {.keep_input_open = true});
  check_failure(result, 4, {"no/out.vti", "folder"});
}

TEST_CASE("An output in a folder without permission is refused") {
  if (skipped(geteuid() == 0 ? "root may write anywhere" : "")) return;
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  const std::string locked = folder.path("locked");
  std::filesystem::create_directory(locked);
  std::filesystem::permissions(
      locked, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  check_failure(run_skde({"density", input, "-o", locked + "/out.vti"}), 4,
                {"locked", "cannot be written"});
}

TEST_CASE("A place where no file can be made is refused") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  check_refused(folder, "density @a.xyz -o /proc/out.vti --dims 8", 4, {"/proc"});
}

TEST_CASE("Folders and devices are no outputs") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  std::filesystem::create_directory(folder.path("sub.vti"));
  check_refused(folder, "density @a.xyz -o @sub.vti", 4, {"is a folder"});
  // As root, the program could replace the system's own device node if it failed to refuse it.
  std::string device = folder.path("full");
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) device = "/dev/full";
  check_failure(run_skde({"density", input, "-o", device, "--format", "vti"}), 4,
                {device.c_str(), "device"});
}

TEST_CASE("An output of unknown format is refused with the formats, and what skde writes instead") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  check_refused(folder, "density @a.xyz -o @out.tiff", 2,
                {"out.tiff", ".nrrd, .mha or .nii", "skde slice"});
  check_refused(folder, "density @a.xyz -o @out.zzz", 2,
                {"out.zzz", "vti", "nrrd", "npy", "netcdf (.nc)"});
  check_refused(folder, "density @a.xyz -o @b.h5", 2, {"b.h5", "use .nc"});
  check_refused(folder, "density @a.xyz -o @b.tif", 2, {"b.tif", "ImageJ"});
  check_refused(folder, "density @a.xyz -o @b.xyz", 2, {"b.xyz", "'skde eval'"});
  check_refused(folder, "density @a.xyz -o @b.png", 2, {"b.png", "'skde slice'"});
  check_refused(folder, "density @a.xyz -o @b.ply", 2, {"b.ply", "'skde iso'"});
  check_refused(folder, "density @a.xyz -o @out.vti --format vtj", 2, {"vtj", "vti"});
  check_refused(folder, "density @a.xyz --picture @out.jpg", 2, {"out.jpg", ".png"});
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("The inputs are not overwritten") {
  const TemporaryFolder folder;
  const std::string rows = spread_rows(20);
  const std::string input = folder.file("a.vti", rows);
  check_refused(folder, "density @a.vti -o @./a.vti", 2, {"would overwrite the input"});
  std::filesystem::create_symlink(input, folder.path("link.vti"));
  check_refused(folder, "density @a.vti -o @link.vti", 2, {"would overwrite the input"});
  CHECK(content_of(input) == rows);
}

TEST_CASE("A full disk is an output error and leaves what was there") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(50));
  Arguments names = words("out.vti out.nrrd out.npy");
  for (const auto& format : skde::io::volume_formats())
    if (format.name == "netcdf" && format.unavailable.empty()) names.emplace_back("out.nc");
  for (const std::string& name : names) {
    const std::string output = folder.file(name, "old");
    const auto before = folder.names();
    const RunResult result = run_skde({"density", input, "-o", output, "--dims", "64,64,64"},
                                      {.file_size_limit = 100000});
    check_failure(result, 4, {name});
    CHECK(content_of(output) == "old");
    CHECK(folder.names() == before);
  }
}

TEST_CASE("A standard output that cannot be written is an output error") {
  const RunSettings full{.output_file = "/dev/full"};
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"formats"}, {"engines"}, {"--help"}, {"density", "--help"}})
    check_failure(run_skde(arguments, full), 4, {"standard output"});
}
