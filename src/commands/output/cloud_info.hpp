#pragma once

#include <string>
#include <vector>

#include "cli/report_parts.hpp"
#include "cli/results/any_table.hpp"
#include "core/cloud/moments.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/shape_summary.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// The result of `skde info` for a cloud.
struct CloudInfo {
  std::vector<std::string> inputs;
  KernelFunction kernel = KernelFunction::epanechnikov;
  Moments moments;
  Box inner_bounds;  ///< bounds without outliers
  ShapeSummary shapes;
  io::CloudCounts counts;
  io::ReadColumns columns;
};

void add_fields(Fields<CloudInfo>& fields);

}  // namespace skde::cli
