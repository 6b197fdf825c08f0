#pragma once

#include "io/points/clouds/laz_points.hpp"
#include "io/points/columns/proj_transform.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/volumes/openvdb/openvdb_surface.hpp"
#include "io/volumes/volume_files.hpp"

// The code that needs NetCDF, HDF5, cfitsio, OpenVDB, PROJ or LASzip is a module for each library,
// such as skde-netcdf.so. It is loaded when a file asks for it: these libraries and their
// dependencies take longer to load than most commands take to run, and may not be there.

namespace skde::io {

/// The functions of a module; null for those of the other modules.
struct FormatModule {
  const char* version = nullptr;
  /// Passes what this process does, of which the module has its own copy: whether it syncs files
  /// before they are named, and whether it is a reader with a memory limit.
  void (*take_over)(bool syncs, bool limited) = nullptr;
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
  decltype(&io::unpack_laz) unpack_laz = nullptr;
};

/// The module's table, and its symbol name.
extern "C" const FormatModule skde_format_module;
inline constexpr const char* kFormatModuleTable = "skde_format_module";

}  // namespace skde::io
