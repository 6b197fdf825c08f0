#include <array>
#include <string_view>

#include "io/points/point_format_readers.hpp"
#include "io/points/point_formats.hpp"

namespace skde::io {
namespace {

bool is_ply(std::string_view head) {
  return head.starts_with("ply\n") || head.starts_with("ply\r");
}

bool is_pcd(std::string_view head) {
  return head.starts_with("# .PCD") || head.starts_with("VERSION .") ||
         head.starts_with("VERSION 0.");
}

bool is_npy(std::string_view head) { return head.starts_with("\x93NUMPY"); }

constexpr std::array<PointFormat, 4> kPointFormats{{
    {"ply", ".ply", "Stanford polygon file: ascii, binary little and big endian; element vertex",
     is_ply, open_ply},
    {"pcd", ".pcd", "Point Cloud Library: ascii and binary", is_pcd, open_pcd},
    {"npy", ".npy", "NumPy array of shape (N, 3) or wider; C or Fortran order", is_npy, open_npy},
    {"text", ".xyz .txt .csv .tsv .dat .asc .pts",
     "rows of numbers, a header if there is one; comma, semicolon, tab or blanks; # comments",
     nullptr, open_text},
}};

}  // namespace

bool PointFormat::is_text() const { return this == &kPointFormats.back(); }

std::span<const PointFormat> point_formats() { return kPointFormats; }

}  // namespace skde::io
