#include <array>
#include <string_view>

#include "io/points/point_format_readers.hpp"
#include "io/points/point_formats.hpp"

namespace skde::io {
namespace {

constexpr bool kHdf5 = SKDE_HAS_HDF5, kFits = SKDE_HAS_FITS;

bool is_ply(std::string_view head) {
  return head.starts_with("ply\n") || head.starts_with("ply\r");
}

bool is_pcd(std::string_view head) {
  return head.starts_with("# .PCD") || head.starts_with("VERSION .") ||
         head.starts_with("VERSION 0.");
}

bool is_npy(std::string_view head) { return head.starts_with("\x93NUMPY"); }

bool is_las(std::string_view head) { return head.starts_with("LASF"); }

bool is_vtk(std::string_view head) { return head.starts_with("# vtk DataFile"); }

bool is_vtk_xml(std::string_view head) {
  return head.find("<VTKFile") != head.npos &&
         (head.find("\"PolyData\"") != head.npos || head.find("\"UnstructuredGrid\"") != head.npos);
}

bool is_hdf5(std::string_view head) { return head.starts_with("\x89HDF\r\n\x1a\n"); }

bool is_fits(std::string_view head) { return head.starts_with("SIMPLE  ="); }

bool is_zip(std::string_view head) { return head.starts_with("PK\x03\x04"); }

constexpr std::array<PointFormat, 10> kPointFormats{{
    {"ply", ".ply", "Stanford polygon file: ascii, binary little and big endian; element vertex",
     is_ply, open_ply},
    {"pcd", ".pcd", "Point Cloud Library: ascii, binary, compressed", is_pcd, open_pcd},
    {"npy", ".npy",
     "NumPy array of shape (N, 3) or wider, C or Fortran order; records with named fields", is_npy,
     open_npy},
    {"npz", ".npz", "NumPy archive of such arrays; FILE.npz:NAME where it has several", is_zip,
     open_npz, "", true},
    {"vtp", ".vtp .vtu", "VTK XML, points of polygonal data and unstructured grids", is_vtk_xml,
     open_vtk_xml},
    {"vtk", ".vtk", "VTK legacy files: points, ascii and binary", is_vtk, open_vtk},
    {"hdf5", ".hdf5 .h5", "HDF5: particles, records, columns; FILE:/PATH names the part", is_hdf5,
     kHdf5 ? open_hdf5 : nullptr, kHdf5 ? "" : "it was configured with SKDE_WITH_HDF5=OFF", true},
    {"fits", ".fits .fit .fts", "FITS tables; FILE:TABLE where there are several", is_fits,
     kFits ? open_fits : nullptr, kFits ? "" : "it was configured with SKDE_WITH_FITS=OFF", true},
    {"las", ".las", "laser scans, LAS 1.0 to 1.4, all point formats", is_las, open_las},
    {"text", ".xyz .txt .csv .tsv .dat .asc .pts",
     "rows of numbers, a header if there is one; comma, semicolon, tab or blanks; # and % comments",
     nullptr, open_text},
}};

}  // namespace

bool PointFormat::is_text() const { return this == &kPointFormats.back(); }

std::span<const PointFormat> point_formats() { return kPointFormats; }

}  // namespace skde::io
