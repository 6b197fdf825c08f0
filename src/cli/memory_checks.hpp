#pragma once

#include <string>
#include <vector>

#include "cli/density_options.hpp"
#include "estimate/density_estimate.hpp"

namespace skde::cli {

/// Bytes of host memory that a run may take: what the user allows, or what is available.
std::int64_t memory_limit(const DensityOptions& options);

// Each check throws Error(resources) that names the bytes needed where they exceed the limit, since
// a system that promises more memory than it has would end the program in the middle.

/// The grid, where the flags alone decide its size; before anything is read. Error(usage) where
/// they contradict each other.
void check_known_grid(const DensityOptions& options);
/// The grid, where its size follows from the samples and not from the flags alone. False where it
/// fits into the limit that the user set, but not beside the samples.
bool grid_fits_beside(const DensityOptions& options, const PointsView& points);

/// True where the inputs may not fit into memory beside the volume and have to be read in parts;
/// judged by the promises of headers and the sizes of files, before they are read.
bool must_stream(const DensityOptions& options, const std::vector<std::string>& inputs);

}  // namespace skde::cli
