// NetCDF files of other programs, made here with the library and not with skde's writer.

#include <functional>
#include <optional>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#if SKDE_HAS_NETCDF
#include <hdf5.h>
#include <netcdf.h>

using namespace skde;
using namespace skde::test;

namespace {

struct Axis {
  std::string name;
  std::vector<double> centres;
  std::vector<std::pair<std::string, std::string>> attributes{};
  bool has_coordinates = true;
};

/// A file whose variable holds 0, 1, 2, ... in file order.
class MadeFile {
 public:
  explicit MadeFile(const std::vector<Axis>& axes, int format = NC_NETCDF4)
      : path(folder_.path("a.nc")) {
    REQUIRE(nc_create(path.c_str(), format | NC_CLOBBER, &id_) == NC_NOERR);
    std::vector<int> dimensions;
    std::size_t cells = 1;
    for (const Axis& axis : axes) {
      int dimension = 0, variable = 0;
      REQUIRE(nc_def_dim(id_, axis.name.c_str(), axis.centres.size(), &dimension) == NC_NOERR);
      dimensions.push_back(dimension);
      cells *= axis.centres.size();
      if (!axis.has_coordinates) continue;
      REQUIRE(nc_def_var(id_, axis.name.c_str(), NC_DOUBLE, 1, &dimension, &variable) == NC_NOERR);
      for (const auto& [name, text] : axis.attributes)
        nc_put_att_text(id_, variable, name.c_str(), text.size(), text.c_str());
    }
    REQUIRE(nc_def_var(id_, "field", NC_SHORT, static_cast<int>(dimensions.size()),
                       dimensions.data(), &field_) == NC_NOERR);
    values_.resize(cells);
    for (std::size_t i = 0; i < cells; ++i) values_[i] = static_cast<short>(i);
    axes_ = axes;
  }
  void put_number(const char* name, double value) { put_numbers(name, {value}); }
  void put_numbers(const char* name, const std::vector<double>& values) {
    nc_put_att_double(id_, field_, name, NC_DOUBLE, values.size(), values.data());
  }
  std::string close() {
    nc_enddef(id_);
    for (const Axis& axis : axes_) {
      int variable = 0;
      if (axis.has_coordinates && nc_inq_varid(id_, axis.name.c_str(), &variable) == NC_NOERR)
        nc_put_var_double(id_, variable, axis.centres.data());
    }
    nc_put_var_short(id_, field_, values_.data());
    nc_close(id_);
    return path;
  }

 private:
  TemporaryFolder folder_;
  int id_ = 0, field_ = 0;
  std::vector<Axis> axes_;
  std::vector<short> values_;

 public:
  std::string path;
};

void check_axes_refused(const std::vector<Axis>& axes, const char* reason) {
  MadeFile file(axes);
  const std::string path = file.close();
  check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.nc", reason});
  check_error([&] { io::read_volume_head(path); }, ErrorKind::input, {"a.nc", reason});
}

/// Returns the value read from a file of one cell that holds `value`, or in which none was written.
double value_of(int format, nc_type type, std::optional<double> value,
                const std::function<void(int file, int variable)>& describe) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.nc");
  int file = 0, variable = 0;
  std::array<int, 3> dimensions{};
  REQUIRE(nc_create(path.c_str(), format, &file) == NC_NOERR);
  for (std::size_t d = 0; d < 3; ++d)
    nc_def_dim(file, std::string(1, static_cast<char>('z' - d)).c_str(), 1, &dimensions[d]);
  REQUIRE(nc_def_var(file, "field", type, 3, dimensions.data(), &variable) == NC_NOERR);
  if (describe) describe(file, variable);
  nc_enddef(file);
  if (value) nc_put_var_double(file, variable, &*value);
  REQUIRE(nc_close(file) == NC_NOERR);
  return io::read_volume(path).volume.at(0, 0, 0);
}

const Axis kX{"x", {1, 2, 3, 4}}, kY{"y", {10, 20, 30}}, kZ{"z", {5, 7}};

}  // namespace

TEST_CASE("NetCDF: dimensions are mapped by axis, units and names, in any order and direction") {
  for (const int format : {NC_NETCDF4, NC_CLASSIC_MODEL, NC_64BIT_OFFSET}) {
    MadeFile file({{"time", {17}, {{"units", "days since 1970-01-01"}}},
                   {"longitude", {4, 3, 2, 1}, {{"units", "degrees_east"}}},
                   {"rows", {10, 20, 30}, {{"axis", "Y"}}},
                   {"depth", {7, 5}, {{"positive", "down"}}}},
                  format);
    const io::VolumeFile volume = io::read_volume(file.close());
    CHECK(volume.placed);
    const Grid& grid = volume.volume.grid();
    CHECK(grid.dims == std::array<std::int64_t, 3>{4, 3, 2});
    CHECK(grid.first_centre() == Vec3{1, 10, 5});
    CHECK(grid.spacing == Vec3{1, 10, 2});
    CHECK(volume.volume.at(3, 0, 1) == 0);  // the first value in the file is at x = 4, y = 10, z =
                                            // 7
    CHECK(volume.volume.at(3, 0, 0) == 1);
    CHECK(volume.volume.at(3, 1, 1) == 2);
    CHECK(volume.volume.at(2, 0, 1) == 6);
    CHECK(io::read_volume_head(file.path).grid == grid);
  }
}

TEST_CASE("NetCDF: what cannot be mapped is refused") {
  check_axes_refused({kZ, kY, {"band", {1, 2}}}, "'band' is not x, y or z");
  check_axes_refused({kZ, kY, {"lat", {1, 2}}}, "two of its dimensions are y");
  check_axes_refused({{"time", {1, 2}}, kZ, kY, kX}, "2 steps of time");
  check_axes_refused({{"member", {1}}, kZ, kY, kX}, "it has 4");
  check_axes_refused({kY, kX}, "three dimensions");
}

TEST_CASE("NetCDF: coordinates that are not evenly spaced are refused") {
  check_axes_refused({kZ, kY, {"x", {1, 2, 4}}}, "x are not evenly spaced");
  check_axes_refused({{"z", {0, 10, 15}}, kY, kX}, "z are not evenly spaced");
  check_axes_refused({kZ, {"y", {1, 1, 1}}, kX}, "spacing");
}

TEST_CASE("NetCDF: a grid without coordinate variables is read and not placed") {
  Axis bare = kX;
  bare.has_coordinates = false;
  MadeFile file({kZ, kY, bare});
  CHECK_FALSE(io::read_volume(file.close()).placed);
}

TEST_CASE("NetCDF: the units of the axes are those of the volume where they are the same") {
  const auto units = [](const char* x, const char* y, const char* z) {
    MadeFile file({{"z", {5, 7}, {{"units", z}}},
                   {"y", {1, 2}, {{"units", y}}},
                   {"x", {1, 2}, {{"units", x}}}});
    const std::string path = file.close();
    std::string found = io::read_volume(path).metadata.units;
    CHECK(io::read_volume_head(path).metadata.units == found);
    return found;
  };
  CHECK(units("Mpc", "Mpc", "Mpc") == "Mpc");
  CHECK(units("m", "m", "km").empty());
  CHECK(units("degrees_east", "degrees_north", "m").empty());
  CHECK(units("1", "1", "1").empty());
  MadeFile bare({kZ, kY, kX});
  CHECK(io::read_volume(bare.close()).metadata.units.empty());
}

TEST_CASE("NetCDF: packed values are unpacked as CF says") {
  MadeFile file({kZ, kY, kX});
  file.put_number("scale_factor", 0.5);
  file.put_number("add_offset", 100);
  file.put_number("missing_value", 3);
  const Volume volume = io::read_volume(file.close()).volume;
  CHECK(volume.at(1, 0, 0) == 100.5);
  CHECK(std::isnan(volume.at(3, 0, 0)));
}

TEST_CASE("NetCDF: several missing values, and what is out of the valid range, are no values") {
  const auto read = [](const auto& put) {
    MadeFile file({kZ, kY, kX});
    put(file);
    const Volume volume = io::read_volume(file.close()).volume;
    std::vector<double> row;
    for (std::int64_t i = 0; i < 4; ++i) row.push_back(volume.at(i, 0, 0));
    return row;
  };
  const auto missing = [](const std::vector<double>& row) {
    std::string shown;
    for (const double value : row) shown += std::isnan(value) ? '-' : 'v';
    return shown;
  };
  CHECK(missing(read([](MadeFile& f) { f.put_numbers("missing_value", {0, 2}); })) == "-v-v");
  CHECK(missing(read([](MadeFile& f) { f.put_number("valid_min", 1); })) == "-vvv");
  CHECK(missing(read([](MadeFile& f) { f.put_number("valid_max", 1); })) == "vv--");
  // The range refers to the stored numbers, 0 to 3, not to the values, 100 to 130.
  CHECK(read([](MadeFile& f) {
          f.put_numbers("valid_range", {0, 3});
          f.put_number("scale_factor", 10);
          f.put_number("add_offset", 100);
        }) == std::vector<double>{100, 110, 120, 130});
}

TEST_CASE("NetCDF: values that were never written are none, but for bytes") {
  for (const int format : {NC_NETCDF4, NC_CLASSIC_MODEL, NC_64BIT_OFFSET}) {
    CHECK(std::isnan(value_of(format, NC_FLOAT, std::nullopt, {})));
    CHECK(std::isnan(value_of(format, NC_DOUBLE, std::nullopt, {})));
    CHECK(std::isnan(value_of(format, NC_SHORT, std::nullopt, {})));
    CHECK(std::isnan(value_of(format, NC_INT, std::nullopt, {})));
    CHECK(value_of(format, NC_BYTE, std::nullopt, {}) == -127);
    CHECK(value_of(format, NC_SHORT, 7, {}) == 7);
  }
}

TEST_CASE("NetCDF: a missing value of double is that of floats too") {
  CHECK(std::isnan(value_of(NC_NETCDF4, NC_FLOAT, 1e20, [](int file, int variable) {
    const double missing = 1e20;
    nc_put_att_double(file, variable, "missing_value", NC_DOUBLE, 1, &missing);
  })));
}

TEST_CASE("NetCDF: signed integers are unsigned ones where the file says so") {
  const auto stored = [](nc_type type, double value, const std::string& word) {
    return value_of(NC_64BIT_OFFSET, type, value, [&](int file, int variable) {
      nc_put_att_text(file, variable, "_Unsigned", word.size(), word.c_str());
      const signed char missing = -2;
      nc_put_att_schar(file, variable, "missing_value", type, 1, &missing);
    });
  };
  CHECK(stored(NC_BYTE, -1, "true") == 255);
  CHECK(stored(NC_BYTE, 1, "true") == 1);
  CHECK(stored(NC_SHORT, -1, "True") == 65535);
  CHECK(stored(NC_INT, -1, "true") == 4294967295);
  CHECK(stored(NC_BYTE, -1, "false") == -1);
  CHECK(stored(NC_FLOAT, -1, "true") == -1);
  CHECK(std::isnan(stored(NC_BYTE, -2, "true")));
}

TEST_CASE("NetCDF: words are read from texts of both types") {
  CHECK(value_of(NC_NETCDF4, NC_BYTE, -1, [](int file, int variable) {
          const char* word = "true";
          nc_put_att_string(file, variable, "_Unsigned", 1, &word);
        }) == 255);
}

TEST_CASE("NetCDF: storage in other files is refused, so that no file of the machine is read") {
  const TemporaryFolder folder;
  folder.file("secret", std::string(96, 's'));
  const auto dataset_file = [&](const char* name, const auto& make) {
    std::string path = folder.path(name);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make(file);
    H5Fclose(file);
    return path;
  };
  const std::array<hsize_t, 3> dims{2, 3, 4};
  const hid_t space = H5Screate_simple(3, dims.data(), nullptr);
  const std::string external = dataset_file("external.nc", [&](hid_t file) {
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plan, folder.path("secret").c_str(), 0, 96);
    H5Dclose(H5Dcreate2(file, "density", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
    H5Pclose(plan);
  });
  const std::string virtual_file = dataset_file("virtual.nc", [&](hid_t file) {
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(plan, space, folder.path("other.h5").c_str(), "density", space);
    H5Dclose(H5Dcreate2(file, "density", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
    H5Pclose(plan);
  });
  const std::string link = dataset_file("link.nc", [&](hid_t file) {
    const hid_t group = H5Gcreate2(file, "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(folder.path("other.h5").c_str(), "density", group, "density", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Gclose(group);
  });
  H5Sclose(space);
  check_error([&] { io::read_volume(external); }, ErrorKind::input,
              {"external.nc", "external storage ('density')", "other files"});
  check_error([&] { io::read_volume_head(virtual_file); }, ErrorKind::input,
              {"virtual.nc", "virtual storage ('density')"});
  check_error([&] { io::read_volume(link); }, ErrorKind::input,
              {"link.nc", "external link ('inner/density')"});
}

TEST_CASE("NetCDF: a file that promises more than it can hold is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.nc");
  int file = 0, variable = 0;
  std::array<int, 3> dimensions{};
  REQUIRE(nc_create(path.c_str(), NC_NETCDF4, &file) == NC_NOERR);
  for (std::size_t d = 0; d < 3; ++d)
    nc_def_dim(file, std::string(1, static_cast<char>('z' - d)).c_str(), 900, &dimensions[d]);
  nc_def_var(file, "density", NC_FLOAT, 3, dimensions.data(), &variable);
  nc_close(file);
  CHECK_FALSE(io::read_volume_head(path).placed);
  check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.nc", "cannot hold 729000000"});
}
#endif
