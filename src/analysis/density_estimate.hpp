#pragma once

#include <string>

#include "analysis/density_setup.hpp"
#include "analysis/memory_plan.hpp"
#include "analysis/sample_chunks.hpp"
#include "core/density_metadata.hpp"
#include "core/moments.hpp"
#include "core/volume.hpp"

namespace skde {

/// A density and how it came about.
struct DensityEstimate {
  Moments moments;
  Bandwidth bandwidth;
  EllipsoidKernel kernel;
  Volume volume;           ///< normalised as asked for
  double mass_in_box = 0;  ///< share of the total weight inside the box
  std::string engine;
  std::string launch_policy;
  MemoryPlan plan;
  StageTimes stages;
};

/// Runs the whole way from samples to a normalised volume: moments -> bandwidth -> grid -> engine.
/// Throws what select_bandwidth, make_grid, make_engine and the engine throw, and Error(input)
/// where no kernel reaches the box.
DensityEstimate estimate_density(const PointsView& points, const DensityRequest& request,
                                 Progress& progress);

/// True where neither kernel nor grid depends on the samples, so that one pass over them is enough.
bool takes_one_pass(const DensityRequest& request);

/// The same for files that are read part by part, within `memory_limit` bytes of host memory: once
/// where lengths of the kernel and bounds are given, or else twice, the first time for the moments.
/// Fills in the rows counted. Throws Error(resources) where the volume alone exceeds the limit.
DensityEstimate estimate_density(const CloudFiles& files, const DensityRequest& request,
                                 std::int64_t memory_limit, io::CloudCounts& counts,
                                 Progress& progress);

/// The estimate's record for volume files; command line, version and units are the caller's.
DensityMetadata describe(const DensityEstimate& estimate, Normalization normalization);

}  // namespace skde
