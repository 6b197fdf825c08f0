#include "core/version.hpp"
#include "io/module/format_module.hpp"

namespace skde::io {

const FormatModule skde_format_module {
  .version = kVersion, .sync_before_naming = sync_before_naming,
#if SKDE_HAS_NETCDF
  .netcdf_writer = netcdf_writer, .netcdf_frame = netcdf_frame,
  .netcdf_fields_writer = netcdf_fields_writer, .read_netcdf = read_netcdf,
  .read_netcdf_head = read_netcdf_head,
#endif
#if SKDE_HAS_OPENVDB
  .openvdb_writer = openvdb_writer, .read_openvdb = read_openvdb,
  .read_openvdb_head = read_openvdb_head, .openvdb_surface = openvdb_surface,
#endif
#if SKDE_HAS_HDF5
  .open_hdf5 = open_hdf5,
#endif
#if SKDE_HAS_FITS
  .open_fits = open_fits,
#endif
#if SKDE_HAS_PROJ
  .proj_transform = proj_transform,
#endif
};

}  // namespace skde::io
