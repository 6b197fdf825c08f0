#pragma once

#include "io/value_packing.hpp"
#include "io/volumes/netcdf/netcdf_file.hpp"

namespace skde::io {

/// Reads how the values of a variable are packed.
ValuePacking read_packing(const NetcdfFile& file, int variable);

}  // namespace skde::io
