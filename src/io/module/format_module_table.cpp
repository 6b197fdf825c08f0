#include "core/version.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/reader_program.hpp"
#include "io/module/format_module.hpp"

// Compiled once a module, with SKDE_MODULE_<LIBRARY> for its library.

namespace skde::io {
namespace {

void take_over(bool syncs, bool limited) {
  sync_before_naming(syncs);
  assume_memory_limit(limited);
}

}  // namespace

const FormatModule skde_format_module {
  .version = kVersion, .take_over = take_over,
#if defined(SKDE_MODULE_NETCDF)
  .netcdf_writer = netcdf_writer, .netcdf_frame = netcdf_frame,
  .netcdf_fields_writer = netcdf_fields_writer, .read_netcdf = read_netcdf,
  .read_netcdf_head = read_netcdf_head,
#elif defined(SKDE_MODULE_OPENVDB)
  .openvdb_writer = openvdb_writer, .read_openvdb = read_openvdb,
  .read_openvdb_head = read_openvdb_head, .openvdb_surface = openvdb_surface,
#elif defined(SKDE_MODULE_HDF5)
  .open_hdf5 = open_hdf5,
#elif defined(SKDE_MODULE_FITS)
  .open_fits = open_fits,
#elif defined(SKDE_MODULE_PROJ)
  .proj_transform = proj_transform,
#elif defined(SKDE_MODULE_LASZIP)
  .unpack_laz = unpack_laz,
#endif
};

}  // namespace skde::io
