// What a file holds besides columns of numbers is named, so that whoever writes its rows again can
// say what is lost.

#include "io/reader_support.hpp"
#include "support/catch.hpp"

namespace skde::test {
namespace {

using LeftOut = std::vector<std::string>;

LeftOut left_out(const std::string& name, const std::string& bytes) {
  io::ColumnSelection columns;
  columns.all_others = true;
  return io::open_points(io::memory_source(name, bytes), columns)->columns().left_out;
}

const std::string kPly = "ply\nformat ascii 1.0\nelement vertex 1\n",
                  kXyz = "property float x\nproperty float y\nproperty float z\n";

std::string npy_records(std::string text, const std::string& rows) {
  while ((text.size() + 11) % 64 != 0) text += ' ';
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size() & 0xff) +
         static_cast<char>(text.size() >> 8) + text + rows;
}

}  // namespace

TEST_CASE("columns of texts are named, or numbered if they have no name", "[left_out]") {
  CHECK(left_out("a.csv", "x,y,z\n1,2,3\n").empty());
  CHECK(left_out("r.csv", "\"\",\"x\",\"y\",\"z\"\n\"fish1\",1,2,3\n") == LeftOut{"column 1"});
  CHECK(left_out("r.txt", "\"x\" \"y\" \"z\"\n\"fish1\" 1 2 3\n") == LeftOut{"column 1"});
  CHECK(left_out("a.csv", "kind,x,y,z,w,flag\noak,1,2,3,4,true\n") == LeftOut{"kind", "flag"});
}

TEST_CASE("lists, vectors and elements beside the points are named", "[left_out]") {
  CHECK(left_out("a.ply", kPly + kXyz + "end_header\n1 2 3\n").empty());
  CHECK(left_out("a.ply", kPly + kXyz + "element face 1\nproperty list uchar int v\nend_header\n" +
                              "1 2 3\n1 0\n") == LeftOut{"element face"});
  CHECK(left_out("a.ply", kPly + kXyz + "property list uchar int nb\nend_header\n1 2 3 2 7 8\n") ==
        LeftOut{"list nb"});
  CHECK(left_out("a.pcd",
                 "VERSION 0.7\nFIELDS x y z _ normal\nSIZE 4 4 4 4 4\nTYPE F F F F F\n"
                 "COUNT 1 1 1 1 3\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3 0 7 8 9\n") ==
        LeftOut{"normal (3 numbers a row)"});
  CHECK(left_out("a.npy",
                 npy_records("{'descr': [('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('', '|V4'), "
                             "('name', '|S5'), ('flag', '|b1')], 'fortran_order': False, "
                             "'shape': (1,), }",
                             std::string(22, '\0'))) == LeftOut{"name", "flag"});
}

TEST_CASE("what VTK files say of points and cells is named", "[left_out]") {
  const auto vtp = [](const std::string& counts, const std::string& data) {
    return "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData><Piece "
           "NumberOfPoints=\"1\"" +
           counts + ">" + data +
           "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">1 2 "
           "3</DataArray></Points></Piece></PolyData></VTKFile>";
  };
  CHECK(left_out("a.vtp", vtp(" NumberOfVerts=\"1\"", "")).empty());
  CHECK(left_out("a.vtp",
                 vtp(" NumberOfLines=\"2\"",
                     "<PointData><DataArray type=\"Float64\" Name=\"v\" NumberOfComponents=\"3\" "
                     "format=\"ascii\">1 2 3</DataArray><DataArray type=\"Float64\" Name=\"mass\" "
                     "format=\"ascii\">1</DataArray><DataArray type=\"String\" Name=\"label\" "
                     "format=\"ascii\">1</DataArray></PointData><CellData><DataArray "
                     "type=\"Float64\" Name=\"area\" format=\"ascii\">1</DataArray></CellData>")) ==
        LeftOut{"v", "label", "area of cells", "lines"});
  const std::string legacy = "# vtk DataFile Version 3.0\nt\n",
                    points = "\nDATASET POLYDATA\nPOINTS 1 float\n";
  CHECK(left_out("a.vtk", legacy + "ASCII" + points + "1 2 3\n").empty());
  CHECK(left_out("a.vtk", legacy + "ASCII" + points + "1 2 3\n\nPOINT_DATA 1\n") ==
        LeftOut{"all that follows the points"});
  const std::string zeros(12, '\0');
  CHECK(left_out("a.vtk", legacy + "BINARY" + points + zeros + "\n").empty());
  CHECK(left_out("a.vtk", legacy + "BINARY" + points + zeros + "\nPOINT_DATA 1\n") ==
        LeftOut{"all that follows the points"});
}

}  // namespace skde::test
