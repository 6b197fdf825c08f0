// The files of data/foreign, written by other programs, with known contents.

#include "io/reader_support.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/catch.hpp"

namespace skde::test {
namespace {

std::string foreign(const std::string& name) { return SKDE_DATA "/foreign/" + name; }

}  // namespace

TEST_CASE("points that other programs wrote are read to the last digit", "[foreign]") {
  const std::vector<double> expected{1, 2, 3, 4, 5, 6.5, -1, 0.25, 8};
  std::vector<std::string> files{"numpy.npz",
                                 "vtk.vtp",
                                 "vtk.vtk",
                                 "meshio.vtu",
                                 "R.csv",
                                 "pandas.csv",
                                 "pandas_no_index.csv",
                                 "pandas_to_string.txt",
                                 "gbif.tsv",
                                 "fdsn.txt",
                                 "sqlite.txt",
                                 "units_line.csv"};
#if SKDE_HAS_HDF5
  files.emplace_back("h5py.hdf5:/points");
#endif
#if SKDE_HAS_FITS
  files.emplace_back("astropy.fits");
#endif
  for (const std::string& name : files) {
    INFO(name);
    CHECK(drain(*io::open_points(foreign(name), {}), 1000).xyz == expected);
  }
}

TEST_CASE("volumes that other programs wrote have their grid and their values", "[foreign]") {
  for (const char* name :
       {"vtk.vti", "vtk.mha", "nibabel.nii.gz", "xarray.nc", "pyopenvdb.vdb", "unu.nrrd"}) {
    if (!io::volume_format_for(name).unavailable.empty()) continue;
    INFO(name);
    const io::VolumeFile file = io::read_volume(foreign(name));
    const Grid& grid = file.volume.grid();
    CHECK(file.placed);
    CHECK(grid.dims == std::array<std::int64_t, 3>{4, 3, 2});
    CHECK(grid.spacing == Vec3{1, 2, 3});
    CHECK(grid.first_centre() == Vec3{10, 20, 30});
    const double first =
        std::string(name) == "pyopenvdb.vdb" ? 1 : 0;  // it has no voxels of value 0
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x)
          CHECK(file.volume.at(x, y, z) == first + static_cast<double>((z * 3 + y) * 4 + x));
  }
}

}  // namespace skde::test
