#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/results/any_table.hpp"
#include "core/cloud/moments.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "estimate/values/density_plan.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// The samples of a cloud in a box, faces included.
struct SamplesInBox {
  Box box;
  std::uint64_t samples = 0;
  std::optional<BlockChoice> blocks{};  ///< the blocks that were read, if the file has an index
};

/// The result of `skde info` for a cloud.
struct CloudInfo {
  std::vector<std::string> inputs;
  KernelFunction kernel = KernelFunction::epanechnikov;
  Moments moments;
  Box inner_bounds;  ///< bounds without outliers
  ShapeSummary shapes;
  io::CloudCounts counts;
  io::ReadColumns columns;
  std::optional<SamplesInBox> in_box{};  ///< if asked for
  std::string index_ignored{};           ///< why an index of the file is not used; mostly empty
};

void add_fields(Fields<CloudInfo>& fields);

}  // namespace skde::cli
