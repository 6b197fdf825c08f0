#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/category_densities.hpp"
#include "commands/output/volume_output.hpp"

namespace skde::cli {

/// The result of `skde density` for categories.
struct CategoryRun {
  std::vector<std::string> inputs;
  const CategoryDensities* densities = nullptr;
  CategorySpec spec;
  std::string units;
  double seconds = 0;
  std::int64_t peak_memory = 0;
  std::vector<WrittenFile> written;
};

void add_fields(Fields<CategoryRun>& fields);

}  // namespace skde::cli
