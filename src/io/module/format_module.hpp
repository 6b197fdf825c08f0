#pragma once

#include "io/bytes/output_file.hpp"
#include "io/points/columns/proj_transform.hpp"
#include "io/points/point_format_readers.hpp"
#include "io/volumes/openvdb/openvdb_surface.hpp"
#include "io/volumes/volume_files.hpp"

// The code that needs NetCDF, HDF5, cfitsio, OpenVDB or PROJ is a module, skde-formats.so. It is
// loaded when a file asks for it: these libraries and their dependencies take longer to load than
// most commands take to run.

namespace skde::io {

/// The functions of the module; null if left out of this build.
struct FormatModule {
  const char* version = nullptr;
  decltype(&io::sync_before_naming) sync_before_naming = nullptr;
  decltype(&io::netcdf_writer) netcdf_writer = nullptr;
  decltype(&io::netcdf_frame) netcdf_frame = nullptr;
  decltype(&io::netcdf_fields_writer) netcdf_fields_writer = nullptr;
  decltype(&io::read_netcdf) read_netcdf = nullptr;
  decltype(&io::read_netcdf_head) read_netcdf_head = nullptr;
  decltype(&io::openvdb_writer) openvdb_writer = nullptr;
  decltype(&io::read_openvdb) read_openvdb = nullptr;
  decltype(&io::read_openvdb_head) read_openvdb_head = nullptr;
  decltype(&io::openvdb_surface) openvdb_surface = nullptr;
  decltype(&io::open_hdf5) open_hdf5 = nullptr;
  decltype(&io::open_fits) open_fits = nullptr;
  decltype(&io::proj_transform) proj_transform = nullptr;
};

/// The module's table, and its symbol name.
extern "C" const FormatModule skde_format_module;
inline constexpr const char* kFormatModuleTable = "skde_format_module";

}  // namespace skde::io
