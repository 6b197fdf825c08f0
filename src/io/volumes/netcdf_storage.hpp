#pragma once

#include <string>

namespace skde::io {

/// NetCDF-4 files are HDF5 files, whose values may be kept in other files: any file of the machine
/// would be read as numbers. Error(input) where this one says so of a part of it.
void require_own_storage(const std::string& path);

}  // namespace skde::io
