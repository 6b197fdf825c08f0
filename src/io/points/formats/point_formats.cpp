#include <array>
#include <vector>

#include "io/points/formats/point_formats.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/splats/splat_formats.hpp"

namespace skde::io {
namespace {

constexpr bool kHdf5 = SKDE_HAS_HDF5, kFits = SKDE_HAS_FITS, kLaszip = SKDE_HAS_LASZIP;

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
    {.name = "ply",
     .extensions = ".ply",
     .summary = "Stanford polygon file: ascii, binary little and big endian; element vertex",
     .has_signature = is_ply,
     .open = open_ply},
    {.name = "pcd",
     .extensions = ".pcd",
     .summary = "Point Cloud Library: ascii, binary, compressed",
     .has_signature = is_pcd,
     .open = open_pcd},
    {.name = "npy",
     .extensions = ".npy",
     .summary =
         "NumPy array of shape (N, 3) or wider, C or Fortran order; records with named fields",
     .has_signature = is_npy,
     .open = open_npy},
    {.name = "npz",
     .extensions = ".npz",
     .summary = "NumPy archive of such arrays; FILE.npz:NAME selects one of several",
     .has_signature = is_zip,
     .open = open_npz,
     .has_parts = true},
    {.name = "vtp",
     .extensions = ".vtp .vtu",
     .summary = "VTK XML, points of polygonal data and unstructured grids",
     .has_signature = is_vtk_xml,
     .open = open_vtk_xml},
    {.name = "vtk",
     .extensions = ".vtk",
     .summary = "VTK legacy files: points, ascii and binary",
     .has_signature = is_vtk,
     .open = open_vtk},
    {.name = "hdf5",
     .extensions = ".hdf5 .h5",
     .summary = "HDF5: particles, records, columns; FILE:/PATH selects an object",
     .has_signature = is_hdf5,
     .open = kHdf5 ? open_hdf5 : nullptr,
     .unavailable = kHdf5 ? "" : "configure it with SKDE_WITH_HDF5=ON",
     .has_parts = true},
    {.name = "fits",
     .extensions = ".fits .fit .fts",
     .summary = "FITS tables; FILE:TABLE selects one of several",
     .has_signature = is_fits,
     .open = kFits ? open_fits : nullptr,
     .unavailable = kFits ? "" : "configure it with SKDE_WITH_FITS=ON",
     .has_parts = true},
    {.name = "las",
     .extensions = kLaszip ? ".las .laz" : ".las",
     .summary = kLaszip ? "laser scans, LAS 1.0 to 1.4, all point formats; LAZ"
                        : "laser scans, LAS 1.0 to 1.4, all point formats",
     .has_signature = is_las,
     .open = open_las},
    {.name = "text",
     .extensions = ".xyz .txt .csv .tsv .dat .asc .pts",
     .summary = "rows of numbers, optional header; separated by comma, semicolon, tab or blanks; # "
                "and % comments",
     .open = open_text},
}};

/// The formats of splats alone come first: their signatures are narrower than those of PLY and NPZ.
std::vector<PointFormat> all_point_formats() {
  std::vector<PointFormat> all;
  for (const SplatFormat& splats : splat_formats().first(splat_formats().size() - 1))
    all.push_back({.name = splats.name,
                   .extensions = splats.extensions,
                   .summary = splats.summary,
                   .has_signature = splats.has_signature,
                   .open = open_splats,
                   .unavailable = splats.unavailable});
  all.insert(all.end(), kPointFormats.begin(), kPointFormats.end());
  return all;
}

}  // namespace

bool PointFormat::is_text() const { return this == &point_formats().back(); }

std::span<const PointFormat> point_formats() {
  static const std::vector<PointFormat> all = all_point_formats();
  return all;
}

}  // namespace skde::io
