#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "io/bytes/output_file.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/npy_header.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::io {
namespace {

constexpr bool kNetcdf = SKDE_HAS_NETCDF, kOpenvdb = SKDE_HAS_OPENVDB;

/// Reads the default volume.
template <auto Read>
auto read_first(const std::string& path, const OpenFiles& files) {
  return Read(path, {}, files);
}

/// For libraries that open the file themselves.
template <auto Read>
auto read_path(const std::string& path, const OpenFiles&) {
  return Read(path);
}
template <auto Read>
auto read_field_of_path(const std::string& path, const std::string& field, const OpenFiles&) {
  return Read(path, field);
}

/// Null if the format is left out of this build.
template <class Function>
constexpr Function* only_if(bool there, Function* function) {
  return there ? function : nullptr;
}

constexpr std::array<VolumeFormat, 9> kVolumeFormats{{
    {.name = "vti",
     .extension = ".vti",
     .summary = "VTK image data, raw; for ParaView and VTK",
     .media_type = "application/vnd.vtk.vti+xml",
     .streams = true,
     .open = vti_writer,
     .read = read_first<read_vti>,
     .read_head = read_first<read_vti_head>,
     .open_fields = vti_fields_writer,
     .read_field = read_vti,
     .read_field_head = read_vti_head,
     .frame = vti_frame},
    {.name = "vti-zlib",
     .extension = ".vti",
     .summary = "VTK image data, compressed with zlib; for ParaView and VTK",
     .media_type = "application/vnd.vtk.vti+xml",
     .streams = true,
     .packs = true,
     .open = vti_zlib_writer,
     .read = read_first<read_vti>,
     .read_head = read_first<read_vti_head>,
     .read_field = read_vti,
     .read_field_head = read_vti_head},
    {.name = "nrrd",
     .extension = ".nrrd",
     .detached = ".nhdr",
     .summary = "NRRD, raw; for Slicer and ITK",
     .media_type = "application/vnd.nrrd",
     .streams = true,
     .open = nrrd_writer,
     .read = read_image<read_nrrd_header>,
     .read_head = read_image_head<read_nrrd_header>,
     .frame = nrrd_frame,
     .files_beside = image_files_beside<read_nrrd_header>},
    {.name = "npy",
     .extension = ".npy",
     .summary = "NumPy array of shape (nz, ny, nx), with a .npy.json description beside it",
     .media_type = "application/vnd.numpy.npy",
     .streams = true,
     .companion = kNpyCompanion,
     .open = npy_volume_writer,
     .read = read_image<read_npy_volume_header>,
     .read_head = read_image_head<read_npy_volume_header>,
     .frame = npy_volume_frame,
     .open_array = npy_array_writer,
     .files_beside = npy_files_beside},
    {.name = "netcdf",
     .extension = ".nc",
     .summary = "NetCDF-4 with CF conventions; for xarray and Panoply",
     .media_type = "application/x-netcdf",
     .unavailable = kNetcdf ? "" : "configure it with SKDE_WITH_NETCDF=ON",
     .streams = true,
     .apart = true,
     .open = only_if(kNetcdf, netcdf_writer),
     .read = only_if(kNetcdf, read_first<read_field_of_path<read_netcdf>>),
     .read_head = only_if(kNetcdf, read_first<read_field_of_path<read_netcdf_head>>),
     .open_fields = only_if(kNetcdf, netcdf_fields_writer),
     .read_field = only_if(kNetcdf, read_field_of_path<read_netcdf>),
     .read_field_head = only_if(kNetcdf, read_field_of_path<read_netcdf_head>),
     .frame = only_if(kNetcdf, netcdf_frame)},
    {.name = "openvdb",
     .extension = ".vdb",
     .summary = "OpenVDB fog volume; for Houdini and Blender",
     .unavailable = kOpenvdb ? "" : "configure it with SKDE_WITH_OPENVDB=ON",
     .packs = true,
     .apart = true,
     .open = only_if(kOpenvdb, openvdb_writer),
     .read = only_if(kOpenvdb, read_path<read_openvdb>),
     .read_head = only_if(kOpenvdb, read_path<read_openvdb_head>)},
    {.name = "nifti",
     .extension = ".nii",
     .detached = ".hdr",
     .summary = "NIfTI-1; for medical imaging programs",
     .streams = true,
     .open = nifti_writer,
     .read = read_image<read_nifti_header>,
     .read_head = read_image_head<read_nifti_header>,
     .files_beside = nifti_files_beside},
    {.name = "nifti-gz",
     .extension = ".nii.gz",
     .summary = "NIfTI-1, compressed with gzip",
     .streams = true,
     .packs = true,
     .open = nifti_gzip_writer,
     .read = read_image<read_nifti_header>,
     .read_head = read_image_head<read_nifti_header>,
     .files_beside = nifti_files_beside},
    {.name = "metaimage",
     .extension = ".mha",
     .detached = ".mhd",
     .summary = "MetaImage, raw; for ITK and programs based on it",
     .streams = true,
     .open = meta_image_writer,
     .read = read_image<read_meta_image_header>,
     .read_head = read_image_head<read_meta_image_header>,
     .files_beside = image_files_beside<read_meta_image_header>},
}};

/// The format whose extension ends the path; ".nii.gz" is one of them.
const VolumeFormat* format_by_extension(std::string_view path) {
  const std::string name = lower_case(std::filesystem::path(path).filename().string());
  for (const VolumeFormat& format : kVolumeFormats)
    if (name.size() > format.extension.size() && name.ends_with(format.extension)) return &format;
  return nullptr;
}

std::string listed() {
  std::string list;
  for (const VolumeFormat& format : kVolumeFormats)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", format.name, format.extension);
  return list;
}

/// Output formats that users may ask for: not volumes, but skde can write something similar.
struct OtherOutput {
  std::string_view extensions, suggestion;
};
constexpr auto kOtherOutputs = std::to_array<OtherOutput>({
    {".h5 .hdf5 .he5", "use .nc: NetCDF-4 is HDF5, and h5py and MATLAB's h5read open it"},
    {".tif .tiff",
     "use .nrrd, .mha or .nii, which ImageJ, Fiji and Slicer open; 'skde slice' and 'skde project' "
     "draw pictures of it"},
    {".png .jpg .jpeg .svg .pdf",
     "use .vti or .nrrd; 'skde slice' and 'skde project' draw pictures of a volume"},
    {".xyz .csv .txt .tsv .dat .asc .pts",
     "use .vti or .npy; 'skde eval' writes densities at points, and 'skde slice' and 'skde "
     "project' tables of cells"},
    {".ply .obj .stl .vtp .vtu .vtk", "use .vti; 'skde iso' writes surfaces of a volume"},
    {".raw .bin", "use .npy or .nrrd, which store raw values after a header"},
    {".mat", "use .nc, which MATLAB's ncread opens"},
});

std::string mended_output(std::string_view path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const OtherOutput& other : kOtherOutputs)
    for (const std::string_view known : split_words(other.extensions))
      if (known == extension) return std::string(other.suggestion);
  return fmt::format("use one of {}, or name a format with `format`", listed());
}

}  // namespace

/// Counts the blocks of OpenVDB's tree: leaves of 8^3 cells, nodes of 16^3 leaves, and nodes of
/// 32^3 of these.
std::int64_t VolumeFormat::held_beyond(const Grid& grid, Precision precision) const {
  if (streams) return 0;
  const auto blocks = [&](std::int64_t edge) {
    std::int64_t count = 1;
    for (const std::int64_t cells : grid.dims) count *= (cells + edge - 1) / edge;
    return count;
  };
  constexpr std::int64_t kLeafCells = 512, kLeaf = 160, kNode = 4096 * 8 + 1200,
                         kRoot = 32768 * 8 + 8400;
  const std::int64_t tree =
      blocks(8) * (kLeafCells * static_cast<std::int64_t>(value_bytes(precision)) + kLeaf) +
      blocks(128) * kNode + blocks(4096) * kRoot;
  return std::max<std::int64_t>(0, tree - grid.bytes(precision));
}

void VolumeFormat::require_room(const std::string& path, const Grid& grid,
                                Precision precision) const {
  if (!packs) io::require_room(path, static_cast<std::uint64_t>(grid.bytes(precision)));
}

void VolumeFormat::write(const std::string& path, const Volume& volume,
                         const DensityMetadata& metadata, Progress& progress) const {
  const auto writer = open(path, volume.grid(), volume.precision(), metadata);
  writer->write(volume.value_span(), progress);
  writer->finish(metadata, progress);
}

std::span<const VolumeFormat> volume_formats() { return kVolumeFormats; }

const VolumeFormat& volume_format_for(std::string_view path, std::string_view name) {
  if (name.empty()) {
    if (const VolumeFormat* const format = format_by_extension(path)) return *format;
    throw Error(ErrorKind::usage,
                fmt::format("{}: its extension is not that of a volume format", path),
                {{}, mended_output(path)});
  }
  std::vector<std::string_view> names;
  for (const VolumeFormat& format : kVolumeFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown volume format '{}'", name),
              {"format", did_you_mean(name, names)});
}

const VolumeFormat* format_to_read(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const VolumeFormat& format : kVolumeFormats)
    if (!extension.empty() && format.detached == extension) return &format;
  return format_by_extension(path);
}

VolumePath volume_path(const std::string& path) {
  const auto exists = [](const std::string& file) {
    std::error_code ignored;  // errors are reported when the file is opened
    return std::filesystem::exists(file, ignored);
  };
  if (exists(path)) return {path, {}};
  for (std::size_t colon = path.find(':'); colon != path.npos; colon = path.find(':', colon + 1))
    if (const std::string file = path.substr(0, colon); exists(file) && format_to_read(file))
      return {file, path.substr(colon + 1)};
  return {path, {}};
}

bool is_volume_file(const std::string& path, const OpenFiles& files) {
  const std::string file = volume_path(path).file;
  const VolumeFormat* const format = format_to_read(file);
  if (!format || !std::filesystem::is_regular_file(file)) return false;
  return format->name != "npy" || is_npy_volume(file, files);
}

std::string first_volume(const std::vector<std::string>& paths, const OpenFiles& files) {
  const auto found = std::ranges::find_if(
      paths, [&](const std::string& path) { return is_volume_file(path, files); });
  return found == paths.end() ? "" : *found;
}

std::vector<std::string> files_beside(const std::string& path, Presence presence) {
  const VolumeFormat* const format = format_to_read(path);
  return format && format->files_beside ? format->files_beside(path, presence)
                                        : std::vector<std::string>{};
}

std::string path_of_field(const std::string& path, const VolumeFile& file) {
  const std::vector<std::string> others = without_standard_errors(file.fields);
  const bool is_only = others.size() == 1 && others.front() == file.field;
  const bool is_named = file.fields.empty() || is_only || !volume_path(path).field.empty();
  return is_named ? path : path + ":" + file.field;
}

std::vector<Warning> field_warnings(const std::string& path, const VolumeFile& file) {
  if (path_of_field(path, file) == path) return {};
  return {{"field",
           fmt::format("{}: holds {} volumes; '{}' is used", path, file.fields.size(), file.field),
           {{}, fmt::format("name one as {}:NAME", path)}}};
}

}  // namespace skde::io
