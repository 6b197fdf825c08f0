#pragma once

#include <string>

#include "analysis/category_densities.hpp"
#include "cli/command_result.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "commands/output/category_sinks.hpp"

namespace skde::cli {

/// What `skde density` does for each category of samples instead of all of them together.
struct CategoryRequest {
  const DensityOptions* density = nullptr;
  CategorySpec spec;
  CategoryOutput output;
  std::string command_line;
  bool json = false, quiet = false;
};

/// Adds the flags of categories; their column and its limit go to `files`.
void add_category_options(OptionTable& table, CloudFiles& files, CategorySpec& spec);
/// Error(usage) where one of them has no effect, or another flag has none beside them.
void check_category_options(const ParsedFlags& flags);
/// Estimates, writes and tells.
CommandResult run_categories(const CategoryRequest& request);

}  // namespace skde::cli
