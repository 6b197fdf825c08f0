#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/bandwidth.hpp"
#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "core/kernel_shape.hpp"
#include "core/moments.hpp"
#include "engines/engine.hpp"
#include "estimate/memory_plan.hpp"

namespace skde {

/// Everything that decides a density besides the samples.
struct DensityRequest {
  KernelFunction kernel = KernelFunction::epanechnikov;
  BandwidthSpec bandwidth;
  GridSpec grid;
  std::optional<Grid> like;  ///< this grid, instead of one from `grid`
  Normalization normalization = Normalization::density;
  std::string engine;            ///< empty or "auto": choose_engine()
  std::optional<Device> device;  ///< limits that choice
  EngineOptions options;
  /// Told how the work is cut, before it begins; may be empty.
  std::function<void(const MemoryPlan&)> on_plan;
};

/// What follows from a request and the moments of the samples.
struct DensitySetup {
  Bandwidth bandwidth;
  EllipsoidKernel kernel;
  Grid grid;
};

/// Chooses bandwidth and grid. Throws what select_bandwidth and make_grid throw, and Error(input)
/// where there are no samples or no kernel reaches the box.
DensitySetup set_up_density(const DensityRequest& request, const Moments& moments);
/// Error(input) where no kernel of samples within `cloud` reaches the grid.
void require_overlap(const Box& cloud, Vec3 support, const Grid& grid);

/// True where no engine is named, and the case decides.
bool is_automatic(const DensityRequest& request);
/// The engine that is named, or the one that choose_engine() takes for so many samples.
std::string engine_for(const DensityRequest& request, const DensitySetup& setup,
                       std::int64_t samples, bool weighted);

/// The factor from a density over all space to what was asked for; `mass` is its share inside the
/// box. Error(input) where that is 0: no kernel covers a cell centre.
double normalization_factor(Normalization normalization, double mass, double total_weight);

}  // namespace skde
