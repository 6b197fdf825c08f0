// A disk that fills up while a NetCDF file is written, after there was room for all of it. libhdf5
// writes its buffers at program end, so each case runs in a process of its own.
#if SKDE_HAS_NETCDF

#include <hdf5.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>

#include "core/report/error.hpp"
#include "io/file_size_limit.hpp"
#include "io/volume_support.hpp"
#include "io/volumes/volume_writer.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr int kWritten = 0, kOutputError = 4, kOtherError = 9;

/// Runs `work` in a child process, closes libhdf5 as at program end, and returns the exit code, or
/// 128 + the signal that ended it. Other libraries are not shut down: they would wait for threads
/// that a forked process does not have.
int exit_code_of(const std::function<int()>& work) {
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int code = work();
    H5close();
    _exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Writes a volume slab by slab; from slab `full_from` on, no file may grow beyond `bytes`.
int write_on_full_disk(const io::VolumeFormat& format, const std::string& path,
                       const Volume& volume, std::int64_t full_from, std::uint64_t bytes) {
  try {
    const Grid& grid = volume.grid();
    const auto writer = format.open(path, grid, Precision::f32, full_metadata());
    NoProgress silent;
    std::optional<FileSizeLimit> full;
    for (std::int64_t z = 0; z <= grid.dims[2]; ++z) {
      if (z == full_from) full.emplace(bytes);
      if (z == grid.dims[2]) break;
      writer->write(
          volume.values<float>().first(static_cast<std::size_t>(grid.dims[0] * grid.dims[1])),
          silent);
    }
    writer->finish(full_metadata());
    return kWritten;
  } catch (const Error& error) {
    const bool told = error.kind() == ErrorKind::output &&
                      std::string_view(error.what()).find(path) != std::string_view::npos;
    return told ? kOutputError : kOtherError;
  }
}

}  // namespace

TEST_CASE("NetCDF: a disk that fills up at any time is an output error, and nothing stays behind") {
  const io::VolumeFormat& format = io::volume_format_for("a.nc");
  const Volume volume(odd_grid({64, 48, 40}), Precision::f32);
  const TemporaryFolder folder;
  const std::string path = folder.path("a.nc");
  REQUIRE(exit_code_of([&] { return write_on_full_disk(format, path, volume, 41, 0); }) ==
          kWritten);
  const std::uint64_t whole = std::filesystem::file_size(path);
  REQUIRE(folder.file("a.nc", "older") == path);
  for (const std::int64_t full_from : {0, 1, 20, 39, 40})
    for (const std::uint64_t bytes :
         {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{5000}, whole / 2, whole - 20000,
          whole - 5000, whole - 500, whole - 1}) {
      INFO("no more than " << bytes << " of " << whole << " bytes from slab " << full_from);
      CHECK(exit_code_of([&] {
              return write_on_full_disk(format, path, volume, full_from, bytes);
            }) == kOutputError);
      CHECK(content_of(path) == "older");
      CHECK(folder.names() == std::vector<std::string>{"a.nc"});
    }
}

#endif
