// Which columns are read, and how they are reported.
#include "io/points/columns/read_columns.hpp"

#include "io/points/cloud_stream.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/reader_support.hpp"

#include <cmath>
#include <tuple>

namespace skde::test {
namespace {

io::ReadColumns columns_of(const std::string& name, std::string_view bytes,
                           const io::ColumnSelection& wanted = {}) {
  return io::open_points(io::memory_source(name, bytes), wanted)->columns();
}

std::array<std::string, 3> names_of(const io::ReadColumns& columns) {
  return {columns.xyz[0].name, columns.xyz[1].name, columns.xyz[2].name};
}

using Names = std::array<std::string, 3>;

}  // namespace

TEST_CASE("Usual names of coordinates are recognised wherever they stand", "[columns]") {
  using Row = std::pair<std::string, Names>;
  for (const auto& [header, names] : std::vector<Row>{
           {"id,lat,lon,depth,n", {"lon", "lat", "depth"}},
           {"time,latitude,longitude,depth,mag", {"longitude", "latitude", "depth"}},
           {"northing,easting,elevation,a,b", {"easting", "northing", "elevation"}},
           {"a,Points:2,Points:1,Points:0,b", {"Points:0", "Points:1", "Points:2"}},
           {"t,X (m),Y (m),Z (m),v", {"X (m)", "Y (m)", "Z (m)"}},
           {"Z_m,t,Y_m,X_m,v", {"X_m", "Y_m", "Z_m"}},
           {"\"id\",\"frame\",\"x [nm]\",\"y [nm]\",\"z [nm]\"", {"x [nm]", "y [nm]", "z [nm]"}},
           {"id,POSITION_X,POSITION_Y,POSITION_Z,t", {"POSITION_X", "POSITION_Y", "POSITION_Z"}},
           {"lat,lon,z,y,x", {"x", "y", "z"}},
           {"X,Y,x,y,z", {"x", "y", "z"}},
           {"id,POINT_X,POINT_Y,POINT_Z,n", {"POINT_X", "POINT_Y", "POINT_Z"}},
           {"id,xnm,ynm,znm,n", {"xnm", "ynm", "znm"}},
           {"id,Position X [nm],Position Y [nm],Position Z [nm],n",
            {"Position X [nm]", "Position Y [nm]", "Position Z [nm]"}},
           {"n,Location_Center_X,Location_Center_Y,Location_Center_Z,Location_X",
            {"Location_Center_X", "Location_Center_Y", "Location_Center_Z"}},
           {"gbifID,decimalLongitude,decimalLatitude,depth,n",
            {"decimalLongitude", "decimalLatitude", "depth"}},
           {"id,location-long,location-lat,height-above-ellipsoid,n",
            {"location-long", "location-lat", "height-above-ellipsoid"}},
           {"id,utm-easting,utm-northing,elev_m,n", {"utm-easting", "utm-northing", "elev_m"}},
           {"id,lon,lat,dep_km,n", {"lon", "lat", "dep_km"}},
           {"n,Latitude,Longitude,Depth/km,mag", {"Longitude", "Latitude", "Depth/km"}}}) {
    INFO(header);
    const io::ReadColumns read = columns_of("a.csv", header + "\n1,2,3,4,5\n");
    CHECK(names_of(read) == names);
    CHECK(read.others.size() == 2);
  }
}

TEST_CASE("Columns with other names are not guessed", "[columns]") {
  check_refused("a.csv", "time,mag,stations\n1,2,3\n",
                {"a.csv: no columns are named x, y and z", "'time', 'mag', 'stations'", "`columns",
                 "[columns]"});
  check_refused("a.csv", "lon,lat,depth,elevation\n1,2,3,4\n",
                {"'depth' and 'elevation' may both be z"});
  check_refused("a.txt", "# lat lon mag\n1 2 3\n", {"no columns are named"});
  check_refused("a.pcd",
                "VERSION .7\nFIELDS a b c\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nDATA ascii\n"
                "1 2 3\n",
                {"'a', 'b', 'c'"});
  check_refused("a.ply",
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty uint packed_position\n"
                "property uint packed_rotation\nend_header\n1 2\n",
                {"compressed Gaussian splat", "splat-transform"});
  CHECK(names_of(columns_of("a.csv", "time,mag,stations\n1,2,3\n", {{"1", "2", "3"}, ""})) ==
        Names{"time", "mag", "stations"});
}

TEST_CASE("Files without names give their first three columns, and say no names", "[columns]") {
  const io::ReadColumns read =
      columns_of("a.txt", "# three normal variables\nA 1 2 3\n", {{}, "4"});
  CHECK(names_of(read) == Names{});
  CHECK(read.xyz[0].number == 2);
  CHECK(read.weight->number == 4);
  CHECK(read.axis_names() == Names{});
}

TEST_CASE("Units in names become the units, where they are the same", "[columns]") {
  const io::ReadColumns same = columns_of("a.csv", "x [nm],y [nm],z [nm],photons\n1,2,3,4\n");
  CHECK(same.units() == "nm");
  CHECK(same.axis_names() == Names{"x", "y", "z"});
  CHECK(same.others == std::vector<std::string>{"photons"});
  const io::ReadColumns unlike = columns_of("a.csv", "lon (deg),lat (deg),depth (km)\n1,2,3\n");
  CHECK(unlike.units().empty());
  CHECK(unlike.units_differ());
  CHECK(unlike.axis_names() == Names{"lon (deg)", "lat (deg)", "depth (km)"});
  CHECK(
      columns_of("a.csv", "x (positive east),y,z\n1,2,3\n", {{"1", "2", "3"}, ""}).units().empty());
  CHECK(columns_of("a.csv", "xnm,ynm,znm\n1,2,3\n").units() == "nm");
  CHECK(columns_of("a.csv", "x,y,z,alarm\n1,2,3,4\n", {{}, "alarm"}).weight->units.empty());
}

TEST_CASE("An array of three rows asks which way it lies", "[columns]") {
  const std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }";
  const std::string bytes = "\x93NUMPY" + std::string("\x01\0", 2) +
                            stored<std::uint16_t>({static_cast<double>(head.size())}) + head +
                            stored<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  check_refused("a.npy", bytes,
                {"(3, 5) is ambiguous: 3 samples, or x, y and z in rows", "[columns]"});
  check_rows("a.npy", bytes, {1, 2, 3, 6, 7, 8, 11, 12, 13}, {{"1", "2", "3"}, ""});
}

TEST_CASE("Files of one cloud agree on their columns", "[columns]") {
  const TemporaryFile quakes("a.csv", "lat,lon,depth\n1,2,3\n"),
      turned("b.csv", "depth,LON,lat\n30,20,10\n"), other("c.csv", "x,y,z\n1,2,3\n"),
      bare("d.csv", "1,2,3\n"), nanometres("e.csv", "x [nm],y [nm],z [nm]\n1,2,3\n"),
      micrometres("f.csv", "x [um],y [um],z [um]\n1,2,3\n");
  const io::LoadedCloud cloud = load({quakes.path(), turned.path()});
  CHECK(cloud.points.xyz == std::vector<double>{2, 1, 3, 20, 10, 30});
  CHECK(names_of(cloud.columns) == Names{"lon", "lat", "depth"});
  CHECK(load({other.path(), bare.path()}).points.size() == 2);
  for (const auto& [first, second, what] :
       {std::tuple(&quakes, &other, "x would be 'x', but 'lon' in the first file"),
        std::tuple(&quakes, &bare, "x would be column 1, but 'lon'"),
        std::tuple(&nanometres, &micrometres, "x is in 'um', but in 'nm'")})
    check_error(
        [&, one = first, two = second] {
          load({one->path(), two->path()});
        },
        ErrorKind::input, {second->path(), what, "[columns]"});
  const io::LoadedCloud numbered = load({quakes.path(), other.path()}, {{"1", "2", "3"}, ""});
  CHECK(numbered.points.size() == 2);
  CHECK_THAT(numbered.columns.remark, Catch::Matchers::ContainsSubstring(
                                          "c.csv: x would be 'x', but 'lat' in the first file"));
}

TEST_CASE("Lines are skipped, in text alone", "[columns]") {
  const std::string text = "A survey, 2020\nby someone\nx,y,z\n1,2,3\n";
  check_rows("a.csv", text, {1, 2, 3}, {.skip = 2});
  check_rows("a.csv", text, {1, 2, 3}, {.skip = 3});
  CHECK(read_bytes("a.csv", text, {.skip = 2}).places == std::vector<std::string>{"line 4"});
  check_refused("a.csv", text, {"line 1: 1 of its 2 columns", "`skip=N`"});
  check_refused("a.csv", text, {"no row of numbers"}, {.skip = 9});
  check_error([&] { read_bytes("a.ply", "ply\nformat ascii 1.0\n", {.skip = 1}); },
              ErrorKind::usage, {"a.ply: lines can be skipped only in text files", "[skip]"});
}

TEST_CASE("Lines that count the rows are no rows", "[columns]") {
  check_rows("a.pts", "2\n1 2 3 -900 10 20 30\n4 5 6 -900 10 20 30\n", {1, 2, 3, 4, 5, 6});
  check_rows("a.pts", "1\n1 2 3\n", {1, 2, 3});
  check_rows("a.pts", "1\n1 2 3\n\n", {1, 2, 3});
  check_rows("water.xyz", "3\nwater, 0.1 nm\nO 0 0 1\nH 0 1 0\nH 1 0 0\n",
             {0, 0, 1, 0, 1, 0, 1, 0, 0});
  check_rows("water.xyz", "3\n\nO 0 0 1\nH 0 1 0\nH 1 0 0\n", {0, 0, 1, 0, 1, 0, 1, 0, 0});
  check_rows("water.xyz", "2\n0 0 0\n8 0 0 1\n1 0 1 0\n", {0, 0, 1, 0, 1, 0});
  check_rows("a.xyz", "2\nx y z\n1 2 3\n4 5 6\n", {1, 2, 3, 4, 5, 6});
  check_rows("a.xyz", "2\nno names\n1 2 3\n4 5 6\n", {1, 2, 3, 4, 5, 6});
  check_refused("a.pts", "3\n1 2 3\n4 5 6\n", {"ends after 2 of 3 rows"});
  check_refused("a.xyz", "1\nframe 1\nH 0 0 0\n1\nframe 2\nH 0 0 1\n",
                {"line 4: more rows than the 1 that line 1 declares", "one cloud in each file"});
  check_refused("a.txt", "5\n6\n7\n", {"line 1: 1 of its 1 columns"});
}

TEST_CASE("Lines may end in carriage returns alone", "[columns]") {
  check_rows("a.csv", "x,y,z\r1,2,3\r4,5,6\r", {1, 2, 3, 4, 5, 6});
  check_rows("a.csv", "x,y,z\r1,2,3\r4,5,6", {1, 2, 3, 4, 5, 6});
  check_rows("a.csv", "x,y,z\r\n1,2,3\r\n", {1, 2, 3});
  check_rows("a.ply",
             "ply\rformat ascii 1.0\relement vertex 1\rproperty float x\rproperty float y\r"
             "property float z\rend_header\r1 2 3\r",
             {1, 2, 3});
  check_refused("a.csv", "x,y,z\r1,2,3\r4,5,six\r7,8,9", {"line 3", "'six'"});
}

TEST_CASE("What a spreadsheet misses is no comment", "[columns]") {
  const ReadRows rows = read_bytes("a.csv", "x,y,z\n1,2,3\n#N/A,5,6\n");
  CHECK(rows.xyz.size() == 6);
  CHECK(std::isnan(rows.xyz[3]));
  CHECK(std::isnan(read_bytes("a.txt", "1 2 3\n1 2 #N/A\n").xyz[5]));
}

TEST_CASE("Volumes, meshes and formats that are not read are named", "[columns]") {
  using Row = std::tuple<std::string, std::string, std::string>;
  for (const auto& [name, bytes, says] : std::vector<Row> {
         {"-", "NRRD0004\ntype: float\n", "NRRD volume"},
             {"-", "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\">\n", "VTK volume"},
             {"a.obj", "# a mesh\nv 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n", "mesh (OBJ)"},
             {"a.txt", "v 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n", "mesh (OBJ)"},
             {"a.stl", "solid cube\nfacet normal 0 0 1\n", "CloudCompare or MeshLab"},
             {"a.asc", "ncols 4\nnrows 4\n", "gdal2xyz.py"},
#if !SKDE_HAS_LASZIP
             {"a.laz", "xyz", "laszip"},
#endif
             {"-", "ASTM-E57xxx", "pdal translate"}, {"-", "PAR1xxxx", "read_parquet"},
             {"-", std::string("root\0\0", 6), "uproot"}, {"a.xlsx", "PK\3\4", "save it as CSV"},
             {"a.ksplat", "xyz", "splat-transform"},
             {"a.xml", "<?xml version=\"1.0\"?>\n<VOTABLE version=\"1.3\">\n", "astropy"},
             {"a.txt", "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\n", "OVITO"},
             {"a.gro", "water\n1\n    1SOL     OW    1   0.1   0.2   0.3\n", "MDAnalysis"}, {
           "a.txt", "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00\n",
               "MDAnalysis"
         }
       })
    check_refused(name, bytes, {says});
}

}  // namespace skde::test
