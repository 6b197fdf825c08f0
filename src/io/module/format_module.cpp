#include "io/module/format_module.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "core/report/error.hpp"
#include "core/version.hpp"
#include "io/module/installed_file.hpp"

// Each of these functions forwards to the function of the same name in the module. A program that
// links the module's objects uses those directly, and this file is not linked.

namespace skde::io {
namespace {

[[noreturn]] void refuse_module(const std::string& why) {
  throw Error(
      ErrorKind::unsupported,
      fmt::format("NetCDF, HDF5, FITS, OpenVDB and PROJ are in {}, which {}", kFormatModuleFile,
                  why),
      {{}, "install it with skde, or name its folder in the environment variable SKDE_LIBEXEC"});
}

const FormatModule& load_module() {
  const std::string file = installed_file(kFormatModuleFile);
  if (file.empty()) refuse_module("does not exist");
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) refuse_module(fmt::format("cannot be loaded: {}", dlerror()));
  const auto* const table = static_cast<const FormatModule*>(dlsym(library, kFormatModuleTable));
  if (table == nullptr || std::strcmp(table->version, kVersion) != 0)
    refuse_module(fmt::format("is not version {}: {}", kVersion, file));
  table->sync_before_naming(syncs_before_naming());
  return *table;
}

/// Loads the module. Throws Error(unsupported) if it cannot be loaded.
const FormatModule& module() {
  static const FormatModule& table = load_module();
  return table;
}

}  // namespace

std::unique_ptr<VolumeWriter> netcdf_writer(const std::string& path, const Grid& grid,
                                            Precision precision, const DensityMetadata& expected) {
  return module().netcdf_writer(path, grid, precision, expected);
}

VolumeFrame netcdf_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata) {
  return module().netcdf_frame(grid, precision, metadata);
}

std::unique_ptr<FieldsWriter> netcdf_fields_writer(const std::string& path, const Grid& grid,
                                                   Precision precision,
                                                   std::vector<std::string> names,
                                                   const DensityMetadata& expected) {
  return module().netcdf_fields_writer(path, grid, precision, std::move(names), expected);
}

VolumeFile read_netcdf(const std::string& path, const std::string& field) {
  return module().read_netcdf(path, field);
}

VolumeHead read_netcdf_head(const std::string& path, const std::string& field) {
  return module().read_netcdf_head(path, field);
}

std::unique_ptr<VolumeWriter> openvdb_writer(const std::string& path, const Grid& grid,
                                             Precision precision, const DensityMetadata& expected) {
  return module().openvdb_writer(path, grid, precision, expected);
}

VolumeFile read_openvdb(const std::string& path) { return module().read_openvdb(path); }

VolumeHead read_openvdb_head(const std::string& path) { return module().read_openvdb_head(path); }

TriangleMesh openvdb_surface(const Volume& volume, double level, Progress& progress) {
  return module().openvdb_surface(volume, level, progress);
}

std::unique_ptr<PointReader> open_hdf5(BufferedSource source, const ColumnSelection& wanted) {
  return module().open_hdf5(std::move(source), wanted);
}

std::unique_ptr<PointReader> open_fits(BufferedSource source, const ColumnSelection& wanted) {
  return module().open_fits(std::move(source), wanted);
}

PlaceTransform proj_transform(const std::string& step) { return module().proj_transform(step); }

}  // namespace skde::io
