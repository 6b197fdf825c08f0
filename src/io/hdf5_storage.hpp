#pragma once

#include <hdf5.h>

#include <optional>
#include <string>

namespace skde::io {

/// HDF5 files, and so those of NetCDF-4, may keep their values in other files: any file of the
/// machine would be read as numbers. Says what of an open file does, as "external storage
/// ('density')"; empty where nothing does, unset where the file is broken.
std::optional<std::string> storage_elsewhere(hid_t file);

}  // namespace skde::io
