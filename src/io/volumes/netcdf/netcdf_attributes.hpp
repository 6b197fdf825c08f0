#pragma once

#include <string>
#include <vector>

#include "io/volumes/netcdf/netcdf_file.hpp"

namespace skde::io {

/// The text of an attribute without the blanks around it; empty where the variable has no text of
/// that name.
std::string text_attribute(const NetcdfFile& file, int variable, const char* name);

/// The numbers of an attribute; none where the variable has no numbers of that name.
std::vector<double> number_attribute(const NetcdfFile& file, int variable, const char* name);

}  // namespace skde::io
