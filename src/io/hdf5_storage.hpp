#pragma once

#include <hdf5.h>

#include <optional>
#include <string>

namespace skde::io {

/// HDF5 files, and so NetCDF-4 files, may keep their values in other files: any file of the machine
/// could be read as numbers. Returns what in an open file does so, as "external storage
/// ('density')"; empty if nothing does, unset if the file is broken.
std::optional<std::string> storage_elsewhere(hid_t file);

}  // namespace skde::io
