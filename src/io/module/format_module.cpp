#include "io/module/format_module.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "core/version.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/reader_program.hpp"
#include "io/module/installed_file.hpp"

// Each of these functions forwards to the function of the same name in a module. They are weak: a
// program that links the module's code uses that, as the module itself does.

namespace skde::io {
namespace {

/// A library, the file of its module, and Debian's package that has the library.
struct ModuleRow {
  std::string_view library, file, package;
};
inline constexpr ModuleRow kNetcdf{"NetCDF", "skde-netcdf.so", "libnetcdf-dev"};
inline constexpr ModuleRow kHdf5{"HDF5", "skde-hdf5.so", "libhdf5-dev"};
inline constexpr ModuleRow kFits{"FITS", "skde-fits.so", "libcfitsio-dev"};
inline constexpr ModuleRow kOpenvdb{"OpenVDB", "skde-openvdb.so", "libopenvdb-dev"};
inline constexpr ModuleRow kProj{"PROJ", "skde-proj.so", "libproj-dev"};
inline constexpr ModuleRow kLaszip{"LAZ", "skde-laszip.so", "liblaszip-dev"};
constexpr std::array kModules{kNetcdf, kHdf5, kFits, kOpenvdb, kProj, kLaszip};

[[noreturn]] void refuse_module(const ModuleRow& row, const std::string& why,
                                std::string suggestion) {
  throw Error(ErrorKind::unsupported,
              fmt::format("{} needs {}, which {}", row.library, row.file, why),
              {{}, std::move(suggestion)});
}

const FormatModule& load_module(const ModuleRow& row) {
  const std::string file = installed_file(row.file);
  const char* const kInstall =
      "install it with skde, or name its folder in the environment variable SKDE_LIBEXEC";
  if (file.empty()) refuse_module(row, "does not exist", kInstall);
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr)
    refuse_module(
        row, fmt::format("cannot be loaded: {}", dlerror()),
        fmt::format("install the library in the version that skde was built with (Debian: "
                    "{} brings that of its release)",
                    row.package));
  const auto* const table = static_cast<const FormatModule*>(dlsym(library, kFormatModuleTable));
  if (table == nullptr || std::strcmp(table->version, kVersion) != 0)
    refuse_module(row, fmt::format("is not version {}: {}", kVersion, file), kInstall);
  table->take_over(syncs_before_naming(), has_memory_limit());
  return *table;
}

/// Loads a module. Throws Error(unsupported) if it cannot be loaded.
template <const ModuleRow& row>
const FormatModule& module() {
  static const FormatModule& table = load_module(row);
  return table;
}

}  // namespace

[[gnu::weak]] std::unique_ptr<VolumeWriter> netcdf_writer(const std::string& path, const Grid& grid,
                                                          Precision precision,
                                                          const DensityMetadata& expected) {
  return module<kNetcdf>().netcdf_writer(path, grid, precision, expected);
}

[[gnu::weak]] VolumeFrame netcdf_frame(const Grid& grid, Precision precision,
                                       const DensityMetadata& metadata) {
  return module<kNetcdf>().netcdf_frame(grid, precision, metadata);
}

[[gnu::weak]] std::unique_ptr<FieldsWriter> netcdf_fields_writer(const std::string& path,
                                                                 const Grid& grid,
                                                                 Precision precision,
                                                                 std::vector<std::string> names,
                                                                 const DensityMetadata& expected) {
  return module<kNetcdf>().netcdf_fields_writer(path, grid, precision, std::move(names), expected);
}

[[gnu::weak]] VolumeFile read_netcdf(const std::string& path, const std::string& field) {
  return module<kNetcdf>().read_netcdf(path, field);
}

[[gnu::weak]] VolumeHead read_netcdf_head(const std::string& path, const std::string& field) {
  return module<kNetcdf>().read_netcdf_head(path, field);
}

[[gnu::weak]] std::unique_ptr<VolumeWriter> openvdb_writer(const std::string& path,
                                                           const Grid& grid, Precision precision,
                                                           const DensityMetadata& expected) {
  return module<kOpenvdb>().openvdb_writer(path, grid, precision, expected);
}

[[gnu::weak]] VolumeFile read_openvdb(const std::string& path) {
  return module<kOpenvdb>().read_openvdb(path);
}

[[gnu::weak]] VolumeHead read_openvdb_head(const std::string& path) {
  return module<kOpenvdb>().read_openvdb_head(path);
}

[[gnu::weak]] TriangleMesh openvdb_surface(const Volume& volume, double level, Progress& progress) {
  return module<kOpenvdb>().openvdb_surface(volume, level, progress);
}

[[gnu::weak]] std::unique_ptr<PointReader> open_hdf5(BufferedSource source,
                                                     const ColumnSelection& wanted) {
  return module<kHdf5>().open_hdf5(std::move(source), wanted);
}

[[gnu::weak]] std::unique_ptr<PointReader> open_fits(BufferedSource source,
                                                     const ColumnSelection& wanted) {
  return module<kFits>().open_fits(std::move(source), wanted);
}

[[gnu::weak]] PlaceTransform proj_transform(const std::string& step) {
  return module<kProj>().proj_transform(step);
}

[[gnu::weak]] void unpack_laz(const std::string& path, const std::string& name,
                              const std::function<void(std::string_view)>& take) {
  return module<kLaszip>().unpack_laz(path, name, take);
}

std::vector<std::string> format_module_files() {
  std::vector<std::string> files;
  for (const ModuleRow& row : kModules)
    if (std::string file = installed_file(row.file); !file.empty())
      files.push_back(std::move(file));
  return files;
}

}  // namespace skde::io
