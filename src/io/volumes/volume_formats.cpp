#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "io/byte_source.hpp"
#include "io/output_file.hpp"
#include "io/text_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::io {
namespace {

constexpr bool kNetcdf = SKDE_HAS_NETCDF, kOpenvdb = SKDE_HAS_OPENVDB;
#if !SKDE_HAS_NETCDF
constexpr auto netcdf_writer = nullptr, read_netcdf = nullptr;
#endif
#if !SKDE_HAS_OPENVDB
constexpr auto openvdb_writer = nullptr, read_openvdb = nullptr;
#endif

constexpr std::array<VolumeFormat, 6> kVolumeFormats{{
    {"vti", ".vti", "VTK image data, raw; for ParaView and VTK", "", true, false, vti_writer,
     read_vti},
    {"vti-zlib", ".vti", "the same, compressed; for who names this format", "", true, true,
     vti_zlib_writer, read_vti},
    {"nrrd", ".nrrd", "NRRD, raw; for Slicer and ITK", "", true, false, nrrd_writer, read_nrrd},
    {"npy", ".npy", "NumPy array of shape (nz, ny, nx), with a .json beside it", "", true, false,
     npy_volume_writer, read_npy_volume},
    {"netcdf", ".nc", "NetCDF-4 by the CF conventions; for xarray and Panoply",
     kNetcdf ? "" : "it was configured with SKDE_WITH_NETCDF=OFF", true, false, netcdf_writer,
     read_netcdf},
    {"openvdb", ".vdb", "OpenVDB fog volume; for Houdini and Blender",
     kOpenvdb ? "" : "it was configured with SKDE_WITH_OPENVDB=OFF", false, true, openvdb_writer,
     read_openvdb},
}};

std::string extension_of(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

const VolumeFormat* format_by_extension(const std::string& path) {
  const auto* const found =
      std::ranges::find(kVolumeFormats, extension_of(path), &VolumeFormat::extension);
  return found == kVolumeFormats.end() ? nullptr : found;
}

std::string listed() {
  std::string list;
  for (const VolumeFormat& format : kVolumeFormats)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", format.name, format.extension);
  return list;
}

}  // namespace

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

const VolumeFormat& volume_format_for(const std::string& path, std::string_view name) {
  if (name.empty()) {
    if (const VolumeFormat* const format = format_by_extension(path)) return *format;
    throw Error(ErrorKind::usage,
                fmt::format("{}: the extension is that of no volume format", path),
                {{}, fmt::format("end it in one of {}, or name one with `format`", listed())});
  }
  std::vector<std::string_view> names;
  for (const VolumeFormat& format : kVolumeFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown volume format '{}'", name),
              {"format", did_you_mean(name, names)});
}

bool is_volume_file(const std::string& path) {
  const VolumeFormat* const format = format_by_extension(path);
  if (!format || !std::filesystem::is_regular_file(path)) return false;
  return format->name != "npy" || is_npy_volume(path);
}

VolumeFile read_volume(const std::string& path) {
  const VolumeFormat& format = volume_format_for(path);
  if (!format.unavailable.empty())
    throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot read {}: {}", path,
                                                    format.name, format.unavailable));
  open_source(path);  // says what is wrong with a path that cannot be read, for every format alike
  return format.read(path);
}

}  // namespace skde::io
