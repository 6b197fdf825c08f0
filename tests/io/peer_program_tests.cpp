// Exchange of volume files between skde and the programs they are meant for, if installed.

#include <nlohmann/json.hpp>

#include "io/volume_support.hpp"
#include "support/child_program.hpp"
#include "support/skipped_test.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr int kMissing = 77;

/// Runs the script; if the peer is not installed, reports that and returns nullopt.
std::optional<std::string> run_peer(const std::string& peer, const char* what,
                                    const std::string& path) {
  const RunResult result =
      run_child("/usr/bin/python3", {"-B", SKDE_PEER_PROGRAMS, peer, what, path});
  INFO(result.err);
  if (result.exit_code == kMissing) {
    skipped(result.out.substr(0, result.out.find('\n')));
    return std::nullopt;
  }
  REQUIRE(result.exit_code == 0);
  return result.out;
}

/// Checks that the peer reads grid and values of a file that skde wrote. `exact`: the format stores
/// the grid in double.
void check_peer_reads(const std::string& peer, const std::string& format, bool exact = true) {
  INFO(peer << " reads " << format);
  const io::VolumeFormat& row = io::volume_format_for("", format);
  if (!row.unavailable.empty()) return;
  const TemporaryFolder folder;
  const std::string path = folder.path(std::string("a").append(row.extension));
  const Volume volume = marked_volume<float>(odd_grid({7, 4, 5}));
  row.write(path, volume, full_metadata());
  const auto printed = run_peer(peer, "read", path);
  if (!printed) return;
  const nlohmann::json found = nlohmann::json::parse(*printed);
  CHECK(found["dims"] == nlohmann::json({7, 4, 5}));
  CHECK(found["corner"] == 100);
  CHECK(found["sum"].get<double>() == Approx(volume.sum()));
  const Vec3 first = volume.grid().first_centre(), spacing = volume.grid().spacing;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    CHECK(found["first"][a].get<double>() == Approx(first[axis]).epsilon(exact ? 1e-14 : 1e-6));
    CHECK(found["spacing"][a].get<double>() == Approx(spacing[axis]).epsilon(1e-6));
  }
}

/// Checks that skde reads grid and values of a file that the peer wrote.
void check_peer_writes(const std::string& peer, const char* name) {
  INFO(peer << " writes " << name);
  if (!io::volume_format_for(name).unavailable.empty()) return;
  const TemporaryFolder folder;
  if (!run_peer(peer, "write", folder.path(name))) return;
  const io::VolumeFile file = io::read_volume(folder.path(name));
  CHECK(file.placed);
  const Grid& grid = file.volume.grid();
  CHECK(grid.dims == std::array<std::int64_t, 3>{2, 3, 4});
  CHECK(grid.first_centre() == Vec3{10, 20, 30});
  CHECK(grid.spacing == Vec3{1, 2, 3});
  CHECK(file.volume.at(1, 0, 0) == 1);
  CHECK(file.volume.at(0, 1, 0) == 2);
  CHECK(file.volume.at(1, 2, 3) == 23);
}

}  // namespace

TEST_CASE("VTK reads VTI, bare and compressed, NIfTI and MetaImage of skde") {
  check_peer_reads("vtk", "vti");
  check_peer_reads("vtk", "vti-zlib");
  check_peer_reads("vtk", "nifti", false);
  check_peer_reads("vtk", "nifti-gz", false);
  check_peer_reads("vtk", "metaimage");
}

TEST_CASE("xarray reads NetCDF of skde, and skde that of xarray") {
  check_peer_reads("xarray", "netcdf");
  check_peer_writes("xarray", "a.nc");
}

TEST_CASE("nibabel reads NIfTI of skde, and skde that of nibabel") {
  check_peer_reads("nibabel", "nifti", false);
  check_peer_reads("nibabel", "nifti-gz", false);
  check_peer_writes("nibabel", "a.nii");
  check_peer_writes("nibabel", "a.nii.gz");
}

TEST_CASE("teem reads NRRD of skde, and skde that of teem") {
  check_peer_reads("unu", "nrrd");
  check_peer_writes("unu", "a.nrrd");
}

TEST_CASE("OpenVDB's own Python module reads what skde writes") {
  check_peer_reads("pyopenvdb", "openvdb");
}
