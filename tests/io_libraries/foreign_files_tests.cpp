// Files written by other programs, or by a script after the specifications of the formats. They are
// also seeds of the fuzz targets.
#if SKDE_HAS_HDF5
#include <hdf5.h>
#endif

#include <algorithm>

#include "core/report/error.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/point_table.hpp"
#include "io/reader_support.hpp"

namespace skde::test {
namespace {

/// All rows of a file of the corpus, for example "npz/one.npz" or "npz/two.npz:a".
ReadRows read_file(const std::string& path, const io::ColumnSelection& columns = {}) {
  return drain(*io::open_points(std::string(SKDE_FUZZ_CORPUS) + "/" + path, columns), 1000);
}

void check_file_refused(const std::string& path, std::initializer_list<std::string> fragments) {
  check_error([&] { read_file(path); }, ErrorKind::input, fragments);
}

const std::vector<double> kTwo{1, 2, 3, 4, 5, 6.5};

}  // namespace

TEST_CASE("NumPy's archives are read, by the array's name where there are several", "[foreign]") {
  CHECK(read_file("npz/one.npz").xyz == kTwo);
  CHECK(read_file("npz/one.npz:xyz").xyz == kTwo);
  CHECK(read_file("npz/deflated.npz").xyz == kTwo);
  CHECK(read_file("npz/two.npz:a").xyz == kTwo);
  CHECK(read_file("npz/two.npz:b.npy", {{}, "n"}).weights == std::vector<double>{7, 8});
  check_file_refused("npz/two.npz", {"two.npz: holds 'a', 'b'", "FILE.npz:NAME"});
  check_file_refused("npz/two.npz:c", {"two.npz: holds 'a.npy', 'b.npy'", "FILE.npz:NAME"});
  check_file_refused("npz/cut_short.npz", {"cut_short.npz"});
  check_error([] { read_file("npy_points/c_f8.npy:a"); }, ErrorKind::usage,
              {"a npy file has no part 'a'"});
}

TEST_CASE("NumPy's records and halves are read", "[foreign]") {
  CHECK(read_file("npy_points/records.npy").xyz == kTwo);
  CHECK(read_file("npy_points/records_aligned.npy").xyz == kTwo);
  CHECK(read_file("npy_points/half.npy").xyz == kTwo);
  check_error(
      [] {
        read_file("npy_points/records.npy", {{"name", "x", "y"}, ""});
      },
      ErrorKind::usage, {"no column 'name'", "z, x, y, n"});
}

#if SKDE_HAS_HDF5
TEST_CASE("HDF5 points with storage in other files are refused, from files and from pipes") {
  const TemporaryFolder folder;
  folder.file("secret", std::string(96, 's'));
  const std::string path = folder.path("external.hdf5");
  const std::array<hsize_t, 2> dims{4, 3};
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              space = H5Screate_simple(2, dims.data(), nullptr),
              plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(plan, folder.path("secret").c_str(), 0, 96);
  H5Dclose(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
  H5Pclose(plan);
  H5Sclose(space);
  H5Fclose(file);
  const auto refused = [](const std::function<void()>& read) {
    check_error(read, ErrorKind::input,
                {"external.hdf5", "external storage ('x')", "other files", "h5repack"});
  };
  refused([&] { drain(*io::open_points(io::open_source(path), {}), 10); });
  const std::string bytes = content_of(path);
  refused([&] { read_pipe("external.hdf5", bytes); });
}

TEST_CASE("Smoothing lengths of HDF5 files become widths where they are asked for", "[foreign]") {
  const std::string path = SKDE_FUZZ_CORPUS "/hdf5/swift.hdf5";
  const auto load = [](const std::string& file, const io::ColumnSelection& columns) {
    NoProgress silent;
    return io::load_cloud({file}, columns, io::NonFinite::error, silent);
  };
  CHECK(load(path, {}).points.bandwidth_factors.empty());
  CHECK(load(path, {}).points.shapes.empty());
  const io::LoadedCloud named =
      load(path, {.widths = {"auto"}, .width_form = io::WidthForm::factor});
  CHECK(named.points.bandwidth_factors == std::vector<double>{0.5, 0.25});
  CHECK(named.points.weights.empty());
  CHECK(named.columns.widths[0].name == "SmoothingLengths");
  const io::LoadedCloud both = load(path, {.weight = "Masses", .widths = {"SmoothingLengths"}});
  // 0.5 and 0.25 are two deviations of SWIFT; that of Epanechnikov's kernel is sqrt(H / 7).
  CHECK(both.points.shapes[0] == Approx(7 * 0.0625));
  CHECK(both.points.shapes[6] == Approx(7 * 0.015625));
  CHECK(both.points.weights.size() == 2);
  const std::string picasso = SKDE_FUZZ_CORPUS "/hdf5/picasso.hdf5";
  check_error([&] { load(picasso, {.widths = {"auto"}}); }, ErrorKind::input,
              {"picasso.hdf5", "smoothing lengths", "[widths]"});
  check_error([&] { load(path, {.widths = {"nothing"}}); }, ErrorKind::usage, {"[widths]"});
  check_error([&] { load(SKDE_FUZZ_CORPUS "/las/v12_f0.las", {.widths = {"1"}}); },
              ErrorKind::unsupported, {"v12_f0.las", "widths cannot be read", "[widths]"});
}

TEST_CASE("Particles, records and columns of HDF5 files are read", "[foreign]") {
  CHECK(read_file("hdf5/swift.hdf5").xyz == kTwo);
  CHECK(read_file("hdf5/swift.hdf5:/PartType0/Coordinates", {{}, "Masses"}).weights ==
        std::vector<double>{7, 8});
  CHECK(read_file("hdf5/swift.hdf5:PartType0", {{}, "SmoothingLengths"}).weights ==
        std::vector<double>{.5, .25});
  CHECK(read_file("hdf5/two_types.hdf5:/PartType1/Coordinates").xyz ==
        std::vector<double>{2, 3, 4, 5, 6, 7.5});
  CHECK(read_file("hdf5/picasso.hdf5", {{}, "photons"}).xyz == kTwo);
  CHECK(read_file("hdf5/columns.h5:p").xyz == kTwo);
  check_file_refused("hdf5/two_types.hdf5",
                     {"'/PartType0/Coordinates', '/PartType1/Coordinates'", "FILE:/DATASET"});
  check_file_refused("hdf5/swift.hdf5:/nothing", {"has no object '/nothing'", "/PartType0/Masses"});
  check_file_refused("hdf5/swift.hdf5:/PartType0/Masses",
                     {"neither a table of records nor an array of shape (N, 3)"});
  check_file_refused("hdf5/cut_short.hdf5", {"cut_short.hdf5: cannot be read as HDF5"});
  const std::string bytes = content_of(std::string(SKDE_FUZZ_CORPUS) + "/hdf5/picasso.hdf5");
  check_rows("standard input", bytes, kTwo, {{}, "photons"}, {7, 8});
}
#endif

#if SKDE_HAS_FITS
namespace {

/// Cards of 80 characters, padded with blanks to a FITS block.
std::string fits_header(const std::vector<std::string>& cards) {
  std::string header;
  for (const std::string& card : cards) header += card + std::string(80 - card.size(), ' ');
  return header + std::string(2880 - header.size(), ' ');
}

}  // namespace

TEST_CASE("FITS columns of several numbers a row are refused with what splits them", "[foreign]") {
  const std::string table =
      fits_header({"SIMPLE  =                    T", "BITPIX  =                    8",
                   "NAXIS   =                    0", "END"}) +
      fits_header({"XTENSION= 'BINTABLE'", "BITPIX  =                    8",
                   "NAXIS   =                    2", "NAXIS1  =                   16",
                   "NAXIS2  =                    2", "PCOUNT  =                    0",
                   "GCOUNT  =                    1", "TFIELDS =                    2",
                   "TTYPE1  = 'POS     '", "TFORM1  = '3E      '", "TTYPE2  = 'FLUX    '",
                   "TFORM2  = '1E      '", "END"}) +
      std::string(2880, '\0');
  const auto refused = [&](const io::ColumnSelection& columns, ErrorKind kind) {
    check_error([&] { read_bytes("a.fits", table, columns); }, kind,
                {"a.fits", "'POS' has 3 numbers in each row", "t['POS'].T"});
  };
  refused({}, ErrorKind::input);
  refused({{"POS", "POS", "POS"}, ""}, ErrorKind::usage);
}

TEST_CASE("Tables of FITS files are read, with their units", "[foreign]") {
  const std::string path = std::string(SKDE_FUZZ_CORPUS) + "/fits/table.fits";
  const ReadRows rows = read_file("fits/table.fits", {{}, "flux"});
  CHECK(rows.xyz == kTwo);
  CHECK(rows.weights == std::vector<double>{7, 8});
  CHECK(io::open_points(path, {})->columns().units() == "kpc");
  CHECK(read_file("fits/table.fits:STARS").xyz == kTwo);
  CHECK(read_file("fits/table.fits:1").xyz == kTwo);
  check_rows("standard input", content_of(path), kTwo, {{}, "flux"}, {7, 8});
  check_file_refused("fits/table.fits:2", {"holds the tables 'STARS'", "FILE:TABLE"});
  check_file_refused("fits/cut_short.fits", {"cut_short.fits"});
}
#endif

#if SKDE_HAS_FITS
TEST_CASE("FITS tables that end behind the first chunk give an error and no rows beyond") {
  constexpr std::size_t kCard = 80, kBlock = 2880, kRows = 40000, kHeld = 20000;
  const auto header = [](std::initializer_list<const char*> cards) {
    std::string text;
    for (const char* const card : cards) text += fmt::format("{:<80}", card);
    text += fmt::format("{:<80}", "END");
    REQUIRE(text.size() % kCard == 0);
    return text + std::string((kBlock - text.size() % kBlock) % kBlock, ' ');
  };
  std::string bytes =
      header({"SIMPLE  =                    T", "BITPIX  =                    8",
              "NAXIS   =                    0", "EXTEND  =                    T"}) +
      header({"XTENSION= 'BINTABLE'", "BITPIX  =                    8",
              "NAXIS   =                    2", "NAXIS1  =                   24",
              "NAXIS2  =                40000", "PCOUNT  =                    0",
              "GCOUNT  =                    1", "TFIELDS =                    3",
              "TTYPE1  = 'x       '", "TFORM1  = '1D      '", "TTYPE2  = 'y       '",
              "TFORM2  = '1D      '", "TTYPE3  = 'z       '", "TFORM3  = '1D      '"});
  for (std::size_t i = 0; i < 3 * kRows; ++i) {
    std::string number = stored<double>({static_cast<double>(i)});
    std::ranges::reverse(number);  // to big endian
    bytes += number;
  }
  const std::size_t data = bytes.size() - 24 * kRows;
  bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock);
  const TemporaryFolder folder;
  const ReadRows whole = drain(*io::open_points(folder.file("whole.fits", bytes), {}), 10000);
  REQUIRE(whole.xyz.size() == 3 * kRows);
  for (std::size_t i = 0; i < 3 * kRows; i += 999) CHECK(whole.xyz[i] == static_cast<double>(i));
  const auto reader =
      io::open_points(folder.file("cut.fits", bytes.substr(0, data + 24 * kHeld)), {});
  Samples chunk;
  std::size_t rows = 0;
  check_error(
      [&] {
        while (reader->read(chunk, 8192)) {
          for (std::size_t i = 0; i < chunk.xyz.size(); ++i)
            CHECK(chunk.xyz[i] == static_cast<double>(3 * rows + i));
          rows += chunk.size();
        }
      },
      ErrorKind::input, {"cut.fits", "cannot be read as FITS"});
  CHECK(rows >= 8192);
  CHECK(rows <= kHeld);
}
#endif

TEST_CASE("LAS of every version and layout is scaled to double", "[foreign]") {
  const std::vector<double> xyz{0.001 * 1234567 + 450000.0,
                                0.001 * -7654321 + 5400000.0,
                                0.01 * 100,
                                0.001 * -1 + 450000.0,
                                5400000.0,
                                21474836.47};
  for (const char* name : {"v12_f0", "v12_f3", "v13_f2", "v14_f6"}) {
    INFO(name);
    const std::string path = fmt::format("las/{}.las", name);
    const ReadRows rows = read_file(path, {{}, "intensity"});
    CHECK(rows.xyz == xyz);
    CHECK(rows.weights == std::vector<double>{7, 9});
  }
  CHECK(read_file("las/v12_f3.las", {{"gps_time", "y", "z"}, ""}).xyz[3] == 1e5 + 1);
  CHECK(read_file("las/v14_f6.las", {{"gps_time", "y", "classification"}, ""}).xyz[5] == 2);
  CHECK(read_file("las/v13_f2.las", {{"red", "green", "blue"}, ""}).xyz ==
        std::vector<double>{1, 2, 3, 1, 2, 3});
#if SKDE_HAS_LASZIP
  check_file_refused("las/laz.las", {"laz.las: cannot be unpacked by LASzip"});
#else
  check_file_refused("las/laz.las", {"is a LAZ file", "laszip -i IN.laz -o OUT.las"});
#endif
  check_file_refused("las/cut_short.las", {"declares 2 rows", "truncated"});
  check_file_refused("las/unknown_format.las", {"point format 32"});
}

TEST_CASE("LAS gives columns of values and of categories, and the table of its points",
          "[foreign]") {
  const std::string path = std::string(SKDE_FUZZ_CORPUS) + "/las/v14_f6.las";
  NoProgress silent;
  const io::PointTable table = io::read_point_table(path, {}, silent);
  REQUIRE(table.rows() == 2);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(table.names, name) - table.names.begin());
  };
  CHECK(table.at(0, column("intensity")) == 7);
  CHECK(table.at(1, column("intensity")) == 9);
  CHECK(table.at(1, column("classification")) == 2);
  io::ColumnSelection columns;
  columns.category = "classification";
  columns.others = {"intensity"};
  io::CloudStream stream({path}, columns, io::NonFinite::drop);
  Samples chunk;
  REQUIRE(stream.read(chunk, 10, silent));
  CHECK(chunk.values == std::vector<double>{7, 9});
  REQUIRE(chunk.categories.size() == 2);
  CHECK(stream.categories().name(chunk.categories[1]) == "2");
}

#if SKDE_HAS_HDF5
TEST_CASE("HDF5 gives columns of values and of categories", "[foreign]") {
  const std::string path = std::string(SKDE_FUZZ_CORPUS) + "/hdf5/columns.h5:p";
  NoProgress silent;
  io::ColumnSelection columns;
  columns.category = "x";
  columns.others = {"y", "z"};
  io::CloudStream stream({path}, columns, io::NonFinite::drop);
  Samples chunk;
  REQUIRE(stream.read(chunk, 10, silent));
  REQUIRE(chunk.size() == 2);
  CHECK(chunk.values ==
        std::vector<double>{chunk.xyz[1], chunk.xyz[2], chunk.xyz[4], chunk.xyz[5]});
  CHECK(stream.categories().name(chunk.categories[1]) == fmt::format("{}", chunk.xyz[3]));
}
#endif

#if SKDE_HAS_FITS
TEST_CASE("Columns of FITS tables beside places are values", "[foreign]") {
  const std::string path = std::string(SKDE_FUZZ_CORPUS) + "/fits/table.fits:STARS";
  NoProgress silent;
  const io::PointTable table = io::read_point_table(path, {}, silent);
  REQUIRE(table.names.size() == 4);
  CHECK(table.names[3] == "flux");
  io::ColumnSelection columns;
  columns.others = {"flux"};
  io::CloudStream stream({path}, columns, io::NonFinite::drop);
  Samples chunk;
  REQUIRE(stream.read(chunk, 1000, silent));
  REQUIRE(chunk.values.size() == table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) CHECK(chunk.values[row] == table.at(row, 3));
}
#endif

TEST_CASE("LAS states units by GeoTIFF keys and by well-known text", "[foreign]") {
  const std::string bare = content_of(std::string(SKDE_FUZZ_CORPUS) + "/las/v12_f0.las");
  const auto units_with = [&](std::uint16_t kind, const std::string& content) {
    std::string record = std::string(2, '\0') + "LASF_Projection" + '\0';
    record += stored<std::uint16_t>({static_cast<double>(kind)}) +
              stored<std::uint16_t>({static_cast<double>(content.size())}) + std::string(32, '\0') +
              content;
    std::uint32_t first = 0;
    std::memcpy(&first, bare.data() + 96, 4);
    std::string bytes = bare;
    bytes.insert(227, record);
    bytes.replace(96, 4, stored<std::uint32_t>({static_cast<double>(first + record.size())}));
    bytes.replace(100, 4, stored<std::uint32_t>({1}));
    check_rows("a.las", bytes, read_bytes("b.las", bare).xyz);
    const auto reader = io::open_points(io::memory_source("a.las", bytes), {});
    return reader->columns().xyz[0].units + "," + reader->columns().xyz[2].units;
  };
  const auto keys = [](std::initializer_list<double> all) { return stored<std::uint16_t>(all); };
  CHECK(units_with(34735, keys({1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9001})) == "m,m");
  CHECK(units_with(34735, keys({1, 1, 0, 2, 3076, 0, 1, 9003, 4099, 0, 1, 9002})) ==
        "US_survey_foot,ft");
  CHECK(units_with(34735, keys({1, 1, 0, 2, 1024, 0, 1, 2, 4099, 0, 1, 9001})) == "degrees,m");
  CHECK(units_with(34735, keys({1, 1, 0, 900, 3076, 0, 1})) == ",");
  const std::string projected =
      "PROJCS[\"a [UNIT[\",GEOGCS[\"b\",UNIT[\"degree\",0.017]],PROJECTION[\"c\"],"
      "UNIT[\"US survey foot\",0.3048]]";
  CHECK(units_with(2112, projected) == "US_survey_foot,US_survey_foot");
  CHECK(units_with(2112, "COMPD_CS[\"d\"," + projected +
                             ",VERT_CS[\"e\",VERT_DATUM[\"f\",5],UNIT[\"metre\",1]]]") ==
        "US_survey_foot,m");
  CHECK(units_with(2112, "GEOGCS[\"b\",UNIT[\"degree\",0.017]]") == "degrees,");
  CHECK(units_with(2112, "PROJCS[\"a") == ",");
  CHECK(units_with(7, "metre") == ",");
}

TEST_CASE("VTK point arrays of one number serve as weights and coordinates", "[foreign]") {
  const auto piece = [](const char* mass) {
    return std::string(
               "<Piece NumberOfPoints=\"2\"><PointData><DataArray type=\"Float32\" Name=\"v\" "
               "NumberOfComponents=\"3\" format=\"ascii\">1 2 3 4 5 6</DataArray>"
               "<DataArray type=\"Int32\" Name=\"mass\" format=\"ascii\">") +
           mass +
           "</DataArray></PointData><Points><DataArray type=\"Float64\" "
           "NumberOfComponents=\"3\" format=\"ascii\">1 2 3 4 5 6.5</DataArray></Points></Piece>";
  };
  const auto file = [](const std::string& pieces) {
    return "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData>" + pieces +
           "</PolyData></VTKFile>";
  };
  const std::string two = file(piece("7 8") + piece("9 0"));
  check_rows("a.vtp", two, {1, 2, 3, 4, 5, 6.5, 1, 2, 3, 4, 5, 6.5}, {{}, "mass"}, {7, 8, 9, 0});
  check_rows("a.vtp", file(piece("7 8")), {3, 7, 1, 6.5, 8, 4}, {{"z", "mass", "x"}, ""});
  CHECK(io::open_points(io::memory_source("a.vtp", two), {})->columns().others ==
        std::vector<std::string>{"mass"});
  check_refused("a.vtp", file(piece("7")), {"declares 2 numbers, but holds 1"}, {{}, "mass"});
  check_rows("a.vtp", file(piece("7")), {1, 2, 3, 4, 5, 6.5});
  check_error(
      [&] {
        read_bytes("a.vtp", two, {{}, "v"});
      },
      ErrorKind::usage, {"no column 'v'", "mass"});
}

TEST_CASE("PCD packed by LZF is read, columns apart from each other", "[foreign]") {
  const ReadRows rows = read_file("pcd/lzf.pcd", {{}, "intensity"});
  REQUIRE(rows.xyz.size() == 120);
  for (std::size_t i = 0; i < 40; ++i) {
    const auto n = static_cast<double>(i);
    CHECK(rows.xyz[3 * i] == 0.5 * n);
    CHECK(rows.xyz[3 * i + 1] == static_cast<double>(i % 3));
    CHECK(rows.xyz[3 * i + 2] == -n);
    CHECK(rows.weights[i] == static_cast<double>(i % 2 + 1));
  }
  check_file_refused("pcd/lzf_cut_short.pcd", {"the compressed points are truncated"});
  check_file_refused("pcd/lzf_lying.pcd", {"600 bytes cannot be compressed into 6"});
  check_file_refused("pcd/lzf_broken.pcd", {"the compressed points are invalid"});
}

TEST_CASE("Points of VTK files are read: numbers, base64, raw, packed, legacy", "[foreign]") {
  for (const char* name :
       {"vtp/ascii.vtp", "vtp/inline.vtp", "vtp/inline_zlib.vtp", "vtp/appended.vtu",
        "vtp/appended_zlib.vtp", "vtp/appended_base64.vtp", "vtk/ascii.vtk", "vtk/binary.vtk"}) {
    INFO(name);
    CHECK(read_file(name).xyz == kTwo);
    CHECK(read_file(name, {{"z", "y", "x"}, ""}).xyz == std::vector<double>{3, 2, 1, 6.5, 5, 4});
  }
  check_file_refused("vtp/lying.vtp", {"is truncated"});
  check_file_refused("vtp/cut_short.vtp", {"its XML is broken"});
  check_file_refused("vtk/volume.vtk", {"is a VTK volume, not a point cloud"});
  check_file_refused("vtk/cut_short.vtk", {"declares 3 rows"});
}

}  // namespace skde::test
