#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/kernel/shape_summary.hpp"
#include "core/report/progress.hpp"
#include "estimate/values/request.hpp"
#include "io/points/columns/read_columns.hpp"

namespace skde {

struct SampleCloud;

/// The samples of one category.
struct Category {
  std::string name;
  std::uint64_t rows = 0;                    ///< rows read of it, some of which may be dropped
  std::shared_ptr<const SampleCloud> cloud;  ///< null if no sample is left
};

/// A cloud in memory, sorted by category: numbers by value, then texts alphabetically.
struct CategorisedCloud {
  std::vector<Category> categories;
  io::CloudCounts counts;
  io::ReadColumns columns;
  // Moments of all categories together.
  Moments moments;
  Box inner_bounds;  ///< without outliers
  ShapeSummary shapes;
  std::int64_t bytes = 0;  ///< memory that the samples take
};

/// Reads files with a category column in one pass. `memory_limit` is in bytes of host memory (0:
/// what is available). Throws what io::CloudStream throws, Error(usage) if there is no category
/// column, and Error(resources) if the samples do not fit into memory.
CategorisedCloud read_categories(const CloudFiles& files, std::int64_t memory_limit,
                                 Progress& progress);

}  // namespace skde
