#pragma once

#include <string>
#include <vector>

#include "io/volumes/netcdf/netcdf_file.hpp"

namespace skde::io {

/// Returns the text of an attribute, trimmed; empty if the variable has no text of that name.
std::string text_attribute(const NetcdfFile& file, int variable, const char* name);

/// Returns the numbers of an attribute; empty if the variable has no numbers of that name.
std::vector<double> number_attribute(const NetcdfFile& file, int variable, const char* name);

}  // namespace skde::io
