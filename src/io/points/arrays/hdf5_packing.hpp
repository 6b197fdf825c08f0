#pragma once

#include <string>

#include "io/hdf5_handle.hpp"
#include "io/value_packing.hpp"

namespace skde::io {

/// Returns how the numbers of a data set are packed, by the CF attributes scale_factor, add_offset,
/// _FillValue, missing_value, valid_range, valid_min, valid_max and _Unsigned. Without _FillValue
/// it uses the default fill value of NetCDF-4, which is HDF5. Throws Error(input) if a factor or an
/// offset is not one number. `name` is the name of the file, `path` that of the data set.
ValuePacking hdf5_packing(const Hdf5Handle& set, const std::string& name, const std::string& path);

}  // namespace skde::io
