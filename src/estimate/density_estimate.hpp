#pragma once

#include <string>

#include "core/density_metadata.hpp"
#include "core/kernel_work.hpp"
#include "core/moments.hpp"
#include "core/volume.hpp"
#include "estimate/density_setup.hpp"
#include "estimate/memory_plan.hpp"
#include "estimate/sample_chunks.hpp"

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
  KernelWork work;            ///< of all samples, as some of every part tell
  double engine_seconds = 0;  ///< of the engine's own stages: no reading, no copies of samples

  /// Share of the total weight whose kernels lie in the box but between the cell centres.
  double unseen_mass() const { return work.unseen_weight / moments.total_weight(); }

  /// Updates a second of the engine; 0 where its clock saw nothing.
  double updates_per_second() const {
    return engine_seconds > 0 ? work.updates / engine_seconds : 0;
  }
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
