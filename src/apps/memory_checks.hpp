#pragma once

#include <string>
#include <vector>

#include "analysis/density_estimate.hpp"
#include "apps/density_options.hpp"

namespace skde::apps {

// Each throws Error(resources) that names the bytes needed where they exceed the available memory,
// since a system that promises more memory than it has would end the program in the middle.

/// The grid, where the flags alone decide its size; before anything is read. Error(usage) where
/// they contradict each other.
void check_known_grid(const DensityRequest& request);
/// The samples that the headers of ordinary files promise; before they are read.
void check_cloud(const std::vector<std::string>& inputs, const io::ColumnSelection& columns);
/// The grid, where its size follows from the samples and not from the flags alone.
void check_grid(const DensityRequest& request, const PointsView& points);

}  // namespace skde::apps
