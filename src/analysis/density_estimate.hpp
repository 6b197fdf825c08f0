#pragma once

#include <optional>
#include <string>

#include "core/bandwidth.hpp"
#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "core/kernel_shape.hpp"
#include "core/moments.hpp"
#include "core/volume.hpp"
#include "engines/engine.hpp"

namespace skde {

/// Everything that decides a density besides the samples.
struct DensityRequest {
  KernelFunction kernel = KernelFunction::epanechnikov;
  BandwidthSpec bandwidth;
  GridSpec grid;
  std::optional<Grid> like;  ///< this grid, instead of one from `grid`
  Normalization normalization = Normalization::density;
  std::string engine;  ///< empty: default_engine()
  EngineOptions options;
};

/// A density and how it came about.
struct DensityEstimate {
  Moments moments;
  Bandwidth bandwidth;
  EllipsoidKernel kernel;
  Volume volume;           ///< normalised as asked for
  double mass_in_box = 0;  ///< share of the total weight inside the box
  std::string engine;
  std::string launch_policy;
  StageTimes stages;
};

/// Runs the whole way from samples to a normalised volume: moments -> bandwidth -> grid -> engine.
/// Throws what select_bandwidth, make_grid, make_engine and the engine throw, and Error(input)
/// where no kernel reaches the box.
DensityEstimate estimate_density(const PointsView& points, const DensityRequest& request,
                                 Progress& progress);

/// The estimate's record for volume files; command line, version and units are the caller's.
DensityMetadata describe(const DensityEstimate& estimate, Normalization normalization);

}  // namespace skde
