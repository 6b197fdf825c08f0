#pragma once

#include <string>

#include "analysis/category_densities.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/command_result.hpp"
#include "commands/output/category_sinks.hpp"

namespace skde::cli {

/// A run of `skde density` for each category of samples instead of for all of them together.
struct CategoryRequest {
  const DensityOptions* density = nullptr;
  CategorySpec spec;
  CategoryOutput output;
  PictureFile picture;
  std::string command_line;
  bool json = false, quiet = false;
};

/// Adds the flags of categories; `files` receives their column and its limit.
void add_category_options(OptionTable& table, CloudFiles& files, CategorySpec& spec);
/// Throws Error(usage) if one of them has no effect, or if another flag has no effect beside them.
void check_category_options(const ParsedFlags& flags);
/// Estimates, writes and reports.
CommandResult run_categories(const CategoryRequest& request);

}  // namespace skde::cli
