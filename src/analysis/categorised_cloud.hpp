#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/kernel/shape_summary.hpp"
#include "core/report/progress.hpp"
#include "estimate/request.hpp"
#include "io/points/read_columns.hpp"

namespace skde {

struct SampleCloud;

/// The samples of one category.
struct Category {
  std::string name;
  std::uint64_t rows = 0;                    ///< read of it, of which some may be dropped
  std::shared_ptr<const SampleCloud> cloud;  ///< null where no sample is left
};

/// A cloud in memory, sorted by category: numbers by their value, then texts by their letters.
struct CategorisedCloud {
  std::vector<Category> categories;
  io::CloudCounts counts;
  io::ReadColumns columns;
  // Of all categories together.
  Moments moments;
  Box inner_bounds;  ///< without outliers
  ShapeSummary shapes;
  std::int64_t bytes = 0;  ///< of memory that the samples take
};

/// Reads files in one pass, whose columns name one of categories. `memory_limit`: bytes of host
/// memory; 0: what is available. Throws what io::CloudStream throws, Error(usage) without such a
/// column, and Error(resources) where the samples do not fit into memory.
CategorisedCloud read_categories(const CloudFiles& files, std::int64_t memory_limit,
                                 Progress& progress);

}  // namespace skde
