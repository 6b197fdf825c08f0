#pragma once

#include <string>

#include "io/hdf5_handle.hpp"
#include "io/value_packing.hpp"

namespace skde::io {

/// How the numbers of a data set are stored, by the attributes that CF names: scale_factor,
/// add_offset, _FillValue, missing_value, valid_range, valid_min, valid_max, _Unsigned; and what
/// NetCDF-4, which is HDF5, fills a variable with that has no _FillValue. Error(input) where a
/// factor or an offset is not one number. `name`: of the file; `path`: of the data set.
ValuePacking hdf5_packing(const Hdf5Handle& set, const std::string& name, const std::string& path);

}  // namespace skde::io
