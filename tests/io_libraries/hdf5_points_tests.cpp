// HDF5 files written here by libhdf5 itself: packed values, transposed arrays, columns of different
// lengths.
#if SKDE_HAS_HDF5
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "io/points/cloud_stream.hpp"
#include "io/points/point_table.hpp"
#include "io/reader_support.hpp"

namespace skde::test {
namespace {

/// A file open for writing.
class NewHdf5 {
 public:
  explicit NewHdf5(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~NewHdf5() { H5Fclose(file_); }
  NewHdf5(const NewHdf5&) = delete;
  NewHdf5& operator=(const NewHdf5&) = delete;

  void write(const char* name, hid_t stored, hid_t type, hsize_t rows, const void* values) {
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    const hid_t set = H5Dcreate2(file_, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
  }

  void group(const char* name) {
    H5Gclose(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  /// Writes a data set of numbers with this type in the file. `fill` is the fill value of libhdf5.
  void dataset(const char* name, const std::vector<hsize_t>& shape,
               const std::vector<double>& values, hid_t type = H5T_IEEE_F64LE,
               const double* fill = nullptr) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (fill != nullptr) H5Pset_fill_value(plan, H5T_NATIVE_DOUBLE, fill);
    const hid_t set = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    REQUIRE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
  }

  /// Writes the numbers of a data set in packed chunks.
  void packed(const char* name, const std::vector<hsize_t>& shape,
              const std::vector<hsize_t>& chunk, const std::vector<double>& values) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_deflate(plan, 1);
    const hid_t set =
        H5Dcreate2(file_, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    REQUIRE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
  }

  /// Writes an attribute of a data set. NetCDF stores one number as an array, h5py as a scalar.
  void attribute(const char* path, const char* name, const std::vector<double>& numbers,
                 hid_t type = H5T_IEEE_F64LE, bool scalar = false) {
    const std::array<hsize_t, 1> extent{numbers.size()};
    const hid_t space =
        scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, extent.data(), nullptr);
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT);
    const hid_t id = H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Awrite(id, H5T_NATIVE_DOUBLE, numbers.data()) >= 0);
    H5Aclose(id);
    H5Dclose(set);
    H5Sclose(space);
  }

  void text(const char* path, const char* name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, value.size());
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT);
    const hid_t id = H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(id, type, value.data());
    H5Aclose(id);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
  }

 private:
  hid_t file_;
};

/// Bytes that this process has read from files.
std::uint64_t bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string key;
  std::uint64_t bytes = 0;
  counts >> key >> bytes;
  REQUIRE(key == "rchar:");
  return bytes;
}

}  // namespace

TEST_CASE("what rows of HDF5 hold besides columns of numbers is named") {
  const TemporaryFolder folder;
  const std::string path = folder.path("g.h5");
  {
    NewHdf5 file(path);
    file.group("P");
    file.dataset("P/Coordinates", {2, 3}, {1, 2, 3, 4, 5, 6});
    file.dataset("P/Velocities", {2, 3}, {1, 2, 3, 4, 5, 6});
    file.dataset("P/Masses", {2}, {1, 2});
    file.dataset("P/Other", {3}, {1, 2, 3});
  }
  io::ColumnSelection wanted;
  wanted.all_others = true;
  wanted.part = "P";
  CHECK(io::open_points(io::open_source(path), wanted)->columns().left_out ==
        std::vector<std::string>{"Velocities"});
}

TEST_CASE("packed numbers of 300 random HDF5 columns are factor, offset and what is missing") {
  const TemporaryFolder folder;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> real(-1, 1);
  const std::vector<hid_t> types{H5T_STD_I16LE, H5T_STD_I32BE, H5T_STD_U16LE, H5T_IEEE_F32LE,
                                 H5T_IEEE_F64LE};
  for (int round = 0; round < 300; ++round) {
    constexpr std::size_t kRows = 12;
    const std::string path = folder.path("a.h5");
    std::array<std::vector<double>, 3> stored, expected;
    {
      NewHdf5 file(path);
      file.group("p");
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string name = std::string("/p/") + "xyz"[axis];
        const hid_t type = types[random() % types.size()];
        const double factor = random() % 3 == 0 ? 1 : real(random) + 1.5,
                     offset = random() % 3 == 0 ? 0 : 100 * real(random);
        const bool fills = random() % 2 == 0, misses = random() % 4 == 0;
        for (std::size_t i = 0; i < kRows; ++i)
          stored[axis].push_back(static_cast<double>(20 + random() % 1000));
        const double fill = stored[axis][random() % kRows], missing = stored[axis][0];
        for (const double value : stored[axis])
          expected[axis].push_back((fills && value == fill) || (misses && value == missing)
                                       ? std::numeric_limits<double>::quiet_NaN()
                                       : value * factor + offset);
        file.dataset(name.c_str(), {kRows}, stored[axis], type);
        const bool scalar = random() % 2 == 0;
        if (factor != 1)
          file.attribute(name.c_str(), "scale_factor", {factor}, H5T_IEEE_F64LE, scalar);
        if (offset != 0) file.attribute(name.c_str(), "add_offset", {offset});
        if (fills) file.attribute(name.c_str(), "_FillValue", {fill}, type, scalar);
        if (misses) file.attribute(name.c_str(), "missing_value", {missing}, type);
      }
    }
    std::vector<double> xyz;
    for (std::size_t i = 0; i < kRows; ++i)
      if (std::isfinite(expected[0][i] + expected[1][i] + expected[2][i]))
        for (std::size_t axis = 0; axis < 3; ++axis) xyz.push_back(expected[axis][i]);
    if (xyz.empty()) continue;
    const io::LoadedCloud cloud = load({path + ":p"});
    REQUIRE(cloud.points.xyz.size() == xyz.size());
    CHECK(cloud.counts.non_finite == kRows - xyz.size() / 3);
    for (std::size_t i = 0; i < xyz.size(); ++i)
      CHECK(cloud.points.xyz[i] == Approx(xyz[i]).epsilon(1e-14));
  }
}

TEST_CASE("HDF5 points have ranges, unsigned numbers and the fill of NetCDF, as NetCDF does") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.h5");
  {
    NewHdf5 file(path);
    const double fill = -32767, float_fill = 9.9692099683868690e+36;
    file.dataset("/x", {6}, {1, 2, 3, -32767, 5, 6}, H5T_STD_I16LE, &fill);
    file.dataset("/y", {6}, {1, 2, 3, 4, float_fill, 6}, H5T_IEEE_F32LE, &float_fill);
    file.dataset("/z", {6}, {1, -1, 3, 4, 5, 250}, H5T_STD_I16LE);
    file.attribute("/z", "valid_range", {0, 65535});
    file.text("/z", "_Unsigned", "true");
    file.attribute("/z", "scale_factor", {2});
  }
  CHECK(load({path + ":/"}).points.xyz ==
        std::vector<double>{1, 1, 2, 2, 2, 131070, 3, 3, 6, 6, 6, 500});
  {
    NewHdf5 file(path);
    const double zero = 0;  // a fill value set by other programs counts as a value
    file.dataset("/x", {2}, {0, 1}, H5T_STD_I16LE, &zero);
    file.dataset("/y", {2}, {0, 2});
    file.dataset("/z", {2}, {0, 3});
  }
  CHECK(load({path + ":/"}).points.xyz == std::vector<double>{0, 0, 0, 1, 2, 3});
  {
    NewHdf5 file(path);
    file.dataset("/a", {2, 3}, {1, 2, 3, 4, 5, 6});
    file.attribute("/a", "scale_factor", {1, 2, 3});
  }
  check_error([&] { load({path}); }, ErrorKind::input,
              {"a.h5", "scale_factor of '/a' must be a single number"});
}

TEST_CASE("an HDF5 array of three long rows is refused, unless three columns are named") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.h5");
  const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  NewHdf5(path).dataset("/p", {3, 5}, numbers);
  check_error([&] { load({path}); }, ErrorKind::input,
              {"a.h5", "'/p' of shape (3, 5) is ambiguous: 3 samples, or x, y and z in rows",
               "save its transpose"});
  CHECK(load({path}, {.coordinates = {"1", "2", "5"}}).points.xyz ==
        std::vector<double>{1, 2, 5, 6, 7, 10, 11, 12, 15});
  NewHdf5(path).dataset("/p", {5, 3}, numbers);
  CHECK(load({path}).points.xyz == numbers);
  NewHdf5(path).dataset("/p", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(load({path}).points.xyz.size() == 9);
}

TEST_CASE("columns of an HDF5 group are those as long as the coordinates") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.h5");
  {
    NewHdf5 file(path);
    // "a" comes first, and two more columns have its length.
    file.dataset("/a", {4}, {9, 9, 9, 9});
    file.dataset("/b", {4}, {8, 8, 8, 8});
    file.dataset("/c", {4}, {8, 8, 8, 8});
    file.dataset("/d", {4}, {8, 8, 8, 8});
    file.dataset("/mass", {2}, {2, 3});
    file.dataset("/x", {2}, {1, 4});
    file.dataset("/y", {2}, {2, 5});
    file.dataset("/z", {2}, {3, 6});
  }
  io::ColumnSelection weighed{.weight = "mass"};
  const io::LoadedCloud usual = load({path + ":/"}, weighed);
  CHECK(usual.points.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(usual.points.weights == std::vector<double>{2, 3});
  CHECK(load({path + ":/"}, {.coordinates = {"Z", "y", "mass"}}).points.xyz ==
        std::vector<double>{3, 2, 2, 6, 5, 3});
  CHECK(load({path + ":/"}, {.coordinates = {"a", "b", "c"}}).points.xyz.size() == 12);
  check_error(
      [&] {
        load({path + ":/"}, {.coordinates = {"x", "y", "a"}});
      },
      ErrorKind::usage, {"there is no column 'a'"});
  {
    NewHdf5 file(path);
    file.dataset("/history", {1}, {9});
    file.dataset("/u", {2}, {1, 4});
    file.dataset("/v", {2}, {2, 5});
    file.dataset("/w", {2}, {3, 6});
  }
  CHECK(load({path + ":/"}, {.coordinates = {"1", "2", "3"}}).points.xyz ==
        std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("integers of HDF5 keep all their digits, in columns and in records") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.h5");
  const std::vector<std::int64_t> ids{9007199254740993, -9007199254740995, 7};
  struct Record {
    double x, y, z;
    std::uint64_t id;
  };
  const std::vector<Record> records{{1, 2, 3, 18446744073709551615u}, {4, 5, 6, 9007199254740992}};
  {
    NewHdf5 file(path);
    file.group("/p");
    for (const char* const name : {"/p/x", "/p/y", "/p/z"}) file.dataset(name, {3}, {1, 2, 3});
    file.write("/p/id", H5T_STD_I64BE, H5T_NATIVE_INT64, 3, ids.data());
    // As NetCDF writes them: a number stands for no value, and a dimension may have no values.
    file.group("/n");
    for (const char* const name : {"/n/x", "/n/y", "/n/z", "/n/rows"})
      file.dataset(name, {3}, {1, 2, 3});
    file.text("/n/rows", "NAME", "This is a netCDF dimension but not a netCDF variable.         3");
    file.write("/n/id", H5T_STD_I64LE, H5T_NATIVE_INT64, 3, ids.data());
    file.attribute("/n/id", "_FillValue", {7}, H5T_STD_I64LE);
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(Record));
    H5Tinsert(type, "x", HOFFSET(Record, x), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "y", HOFFSET(Record, y), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "z", HOFFSET(Record, z), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "id", HOFFSET(Record, id), H5T_NATIVE_UINT64);
    file.write("/r", type, type, 2, records.data());
    H5Tclose(type);
  }
  NoProgress silent;
  const auto texts = [&](const std::string& part, const std::string& condition) {
    io::ColumnSelection columns;
    columns.where = condition;
    const io::PointTable table = io::read_point_table(path + part, columns, silent);
    const auto id =
        static_cast<std::size_t>(std::ranges::find(table.names, "id") - table.names.begin());
    std::vector<std::string> found;
    for (std::size_t row = 0; row < table.rows(); ++row)
      found.push_back(io::exact_text(table.at(row, id), table.carried.rest_of(row, id)));
    return found;
  };
  using Texts = std::vector<std::string>;
  CHECK(texts(":/p", "x > 0") == Texts{"9007199254740993", "-9007199254740995", "7"});
  CHECK(texts(":/p", "id == -9007199254740995") == Texts{"-9007199254740995"});
  CHECK(texts(":/p", "id == -9007199254740996").empty());
  CHECK(texts(":/n", "x > 0") == Texts{"9007199254740993", "-9007199254740995", "nan"});
  CHECK(texts(":/n", "id == 9007199254740993") == Texts{"9007199254740993"});
  CHECK(io::read_point_table(path + ":/n", {}, silent).names ==
        std::vector<std::string>{"id", "x", "y", "z"});
  CHECK(texts(":/r", "x > 0") == Texts{"18446744073709551615", "9007199254740992"});
  CHECK(texts(":/r", "id > 18446744073709551614") == Texts{"18446744073709551615"});
}

TEST_CASE("each packed chunk of an HDF5 file is unpacked once, however large it is") {
  constexpr std::size_t kRows = 200'000;
  const TemporaryFolder folder;
  std::mt19937 random(5);
  std::vector<double> xyz(3 * kRows);
  for (double& value : xyz) value = static_cast<double>(random());
  const std::string path = folder.path("a.h5");
  {
    NewHdf5 file(path);
    file.packed("whole", {kRows, 3}, {90'000, 3}, xyz);  // a chunk is more than 1 MiB
    file.group("across");
    file.packed("across/c", {kRows, 3}, {140'000, 1}, xyz);
    file.group("columns");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<double> values(kRows);
      for (std::size_t i = 0; i < kRows; ++i) values[i] = xyz[3 * i + axis];
      const std::string name = std::string("columns/") + "xyz"[axis];
      file.packed(name.c_str(), {kRows}, {150'000 + 10'007 * axis}, values);
    }
  }
  for (const char* const part : {"whole", "across/c", "columns"}) {
    INFO(part);
    io::ColumnSelection wanted;
    wanted.part = part;
    const auto reader = io::open_points(io::open_source(path), wanted);
    const std::uint64_t before = bytes_read();
    CHECK(drain(*reader, 10'000).xyz == xyz);
    CHECK(bytes_read() - before < 8 * xyz.size());  // packed, random numbers of 32 bits are smaller
  }
}

}  // namespace skde::test
#endif
