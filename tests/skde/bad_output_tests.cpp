#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"

using namespace skde::test;

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
  check_failure(run_skde(folder, "density @a.xyz -o /proc/out.vti --dims 8"), 4, {"/proc"});
}

TEST_CASE("Folders and devices are no outputs") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(20));
  std::filesystem::create_directory(folder.path("sub.vti"));
  check_failure(run_skde(folder, "density @a.xyz -o @sub.vti"), 4, {"is a folder"});
  // As root, the program could replace the system's own device node if it failed to refuse it.
  std::string device = folder.path("full");
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) device = "/dev/full";
  check_failure(run_skde({"density", input, "-o", device, "--format", "vti"}), 4,
                {device.c_str(), "device"});
}

TEST_CASE("An output of unknown format is refused with the formats") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(20));
  check_failure(run_skde(folder, "density @a.xyz -o @out.tiff"), 2,
                {"out.tiff", ".nrrd, .mha or .nii", "skde slice"});
  check_failure(run_skde(folder, "density @a.xyz -o @out.zzz"), 2,
                {"out.zzz", "vti", "nrrd", "npy"});
  check_failure(run_skde(folder, "density @a.xyz -o @out.vti --format vtj"), 2, {"vtj", "vti"});
  check_failure(run_skde(folder, "density @a.xyz --picture @out.jpg"), 2, {"out.jpg", ".png"});
  CHECK(folder.names() == std::vector<std::string>{"a.xyz"});
}

TEST_CASE("The inputs are not overwritten") {
  const TemporaryFolder folder;
  const std::string rows = spread_rows(20);
  const std::string input = folder.file("a.vti", rows);
  check_failure(run_skde(folder, "density @a.vti -o @./a.vti"), 2, {"would overwrite the input"});
  std::filesystem::create_symlink(input, folder.path("link.vti"));
  check_failure(run_skde(folder, "density @a.vti -o @link.vti"), 2, {"would overwrite the input"});
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
