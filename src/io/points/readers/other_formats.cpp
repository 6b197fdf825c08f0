#include "io/points/readers/other_formats.hpp"

#include <algorithm>
#include <array>

#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

struct FormatRow {
  std::string_view extensions;  ///< may be empty
  bool (*has_signature)(std::string_view head);
  OtherFormat format;
};

constexpr std::string_view kUseVolume =
    "name the points that it was made of; 'skde info' describes a volume, and `like` uses its grid";
constexpr std::string_view kSampleMesh =
    "sample points on it with CloudCompare or MeshLab, and save them as PLY";
constexpr std::string_view kUseOvito =
    "export its particles as XYZ with OVITO, or with Python: ovito.io.export_file()";
constexpr std::string_view kUseMdAnalysis =
    "write its atoms as NPY with Python: numpy.save('OUT', "
    "MDAnalysis.Universe('IN').atoms.positions)";
constexpr std::string_view kUnpackSplat = "decompress it with 'splat-transform IN OUT.ply'";

template <char... Bytes>
bool begins_with(std::string_view head) {
  constexpr std::array<char, sizeof...(Bytes)> kBytes{Bytes...};
  return head.starts_with(std::string_view(kBytes.data(), kBytes.size()));
}

bool is_vti(std::string_view head) {
  return head.find("<VTKFile") != head.npos &&
         (head.find("\"ImageData\"") != head.npos || head.find("\"RectilinearGrid\"") != head.npos);
}

/// Lines of Wavefront OBJ: 'v', then three numbers.
bool is_obj(std::string_view head) {
  for (std::size_t at = 0; at < head.size();
       at = std::min(head.find('\n', at), head.size() - 1) + 1) {
    const auto words = split_words(head.substr(at, head.find('\n', at) - at));
    if (words.empty() || words[0].starts_with('#')) continue;
    double value = 0;
    return words[0] == "mtllib" || (words[0] == "v" && words.size() >= 4 &&
                                    std::all_of(words.begin() + 1, words.end(), [&](auto word) {
                                      return parse_number(word, value);
                                    }));
  }
  return false;
}

bool is_votable(std::string_view head) { return head.find("<VOTABLE") != head.npos; }

/// Files of molecules between blanks would be read as text, with wrong columns.
bool is_lammps_dump(std::string_view head) { return head.starts_with("ITEM: "); }

bool is_pdb(std::string_view head) {
  return head.starts_with("HEADER    ") || head.starts_with("ATOM  ") || head.starts_with("HETATM");
}

bool is_ascii_grid(std::string_view head) { return lower_case(head.substr(0, 6)) == "ncols "; }

bool never(std::string_view) { return false; }

constexpr std::array kOtherFormats{
    FormatRow{"", is_vti, {"is a VTK volume, not a point cloud", kUseVolume}},
    FormatRow{".nhdr",
              begins_with<'N', 'R', 'R', 'D', '0', '0'>,
              {"is an NRRD volume, not a point cloud", kUseVolume}},
    FormatRow{".vdb",
              begins_with<' ', 'B', 'D', 'V'>,
              {"is an OpenVDB volume, not a point cloud", kUseVolume}},
    FormatRow{"",
              begins_with<'C', 'D', 'F'>,
              {"is a NetCDF file, not a point cloud",
               "write its coordinates as NPY of shape (N, 3) with Python's netCDF4"}},
    FormatRow{".img", never, {"holds the values of a volume", "name its header, a .hdr file"}},
    FormatRow{
        ".nii .mha .mhd .hdr .mrc .dcm", never, {"is a volume, not a point cloud", kUseVolume}},
    FormatRow{".tif .tiff",
              begins_with<'I', 'I', '*', '\0'>,
              {"is an image, not a point cloud",
               "find the points with an image-analysis program and save them as CSV"}},
    FormatRow{".png",
              begins_with<'\x89', 'P', 'N', 'G'>,
              {"is an image, not a point cloud",
               "find the points with an image-analysis program and save them as CSV"}},
    FormatRow{".obj", is_obj, {"is a mesh (OBJ), not a point cloud", kSampleMesh}},
    FormatRow{".off",
              begins_with<'O', 'F', 'F', '\n'>,
              {"is a mesh (OFF), not a point cloud", kSampleMesh}},
    FormatRow{".stl",
              begins_with<'s', 'o', 'l', 'i', 'd', ' '>,
              {"is a mesh (STL), not a point cloud", kSampleMesh}},
    FormatRow{".gltf", never, {"is a scene (glTF), not a point cloud", kSampleMesh}},
    FormatRow{"",
              is_ascii_grid,
              {"is an ESRI grid of heights, not a point cloud",
               "turn its cells into rows with 'gdal2xyz.py IN OUT.csv'"}},
    FormatRow{".e57",
              begins_with<'A', 'S', 'T', 'M', '-', 'E', '5', '7'>,
              {"is an E57 file, which is not supported",
               "convert it with 'pdal translate IN.e57 OUT.las'"}},
    FormatRow{
        SKDE_HAS_LASZIP ? "" : ".laz",
        never,
        {"is a LAZ file, which is not supported",
         "decompress it with 'laszip -i IN.laz -o OUT.las' or 'pdal translate IN.laz OUT.las'"}},
    FormatRow{".parquet",
              begins_with<'P', 'A', 'R', '1'>,
              {"is a Parquet file, which is not supported",
               "convert it with Python: pandas.read_parquet('IN').to_csv('OUT.csv')"}},
    FormatRow{".feather .arrow",
              begins_with<'A', 'R', 'R', 'O', 'W', '1'>,
              {"is an Arrow file, which is not supported",
               "convert it with Python: pandas.read_feather('IN').to_csv('OUT.csv')"}},
    FormatRow{".root",
              begins_with<'r', 'o', 'o', 't', '\0'>,
              {"is a ROOT file, which is not supported",
               "write its branches as NPY with Python's uproot"}},
    FormatRow{".mat",
              begins_with<'M', 'A', 'T', 'L', 'A', 'B', ' '>,
              {"is a MATLAB file, which is not supported",
               "save the samples with writematrix(XYZ, 'OUT.csv')"}},
    FormatRow{".vot .votable",
              is_votable,
              {"is a VOTable, which is not supported",
               "convert it with Python: astropy.table.Table.read('IN').write('OUT.fits')"}},
    FormatRow{".lammpstrj .dump",
              is_lammps_dump,
              {"is a LAMMPS dump, which is not supported", kUseOvito}},
    FormatRow{".gro", never, {"is a GROMACS structure, which is not supported", kUseMdAnalysis}},
    FormatRow{".pdb .ent", is_pdb, {"is a PDB file, which is not supported", kUseMdAnalysis}},
    FormatRow{
        ".xls .xlsx .ods", never, {"is a spreadsheet, which is not supported", "save it as CSV"}},
    FormatRow{".ptx",
              never,
              {"is a PTX scan, whose points are in several coordinate frames",
               "convert it to PLY or LAS with CloudCompare"}},
    FormatRow{
        ".ksplat", never, {"is a compressed Gaussian splat, which is not supported", kUnpackSplat}},
};

}  // namespace

const OtherFormat* other_format_by_head(std::string_view head) {
  const auto* const row = std::ranges::find_if(
      kOtherFormats, [&](const FormatRow& candidate) { return candidate.has_signature(head); });
  return row == kOtherFormats.end() ? nullptr : &row->format;
}

const OtherFormat* other_format_by_name(std::string_view name) {
  const std::string low = lower_case(name);
  for (const FormatRow& row : kOtherFormats)
    for (const std::string_view extension : split_words(row.extensions))
      if (low.ends_with(extension)) return &row.format;
  return nullptr;
}

}  // namespace skde::io
