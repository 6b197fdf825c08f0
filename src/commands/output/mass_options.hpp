#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"

namespace skde::cli {

/// Parses a share of the whole mass, above 0 and below 1. Throws Error(usage) otherwise.
double parse_mass(const std::string& given);
/// Adds --mass, a list of such shares.
void add_mass_flag(OptionTable& table, const std::string& by_default, std::vector<double>& masses);

}  // namespace skde::cli
