#pragma once

#include "core/report/progress.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/values/density_plan.hpp"
#include "estimate/values/density_setup.hpp"
#include "estimate/values/memory_plan.hpp"

namespace skde {

/// Plans a density: reads what is needed, and chooses bandwidth, grid, engine and the division of
/// the work. Whatever prevents a run becomes the plan's obstacle. Throws what reading,
/// set_up_density and data_driven_bandwidth throw.
DensityPlan plan_density(CloudSource& source, const DensityRequest& request,
                         const PlanOrders& orders, Progress& progress);

/// Chooses the bandwidth for a file whose index the source has; `plan` gets what it says of the
/// cloud.
DensitySetup set_up_indexed(CloudSource& source, const DensityRequest& request,
                            const GridAhead& ahead, DensityPlan& plan, Progress& progress);

/// Chooses the bandwidth for samples in memory, and the per-sample bandwidths if they adapt; `plan`
/// gets what is known of the cloud. Without `runs`, sums that these depend on are not made: the
/// plan is then provisional, and its forecast begins with the time of those sums.
DensitySetup choose_kernel(CloudSource& source, const DensityRequest& request,
                           const GridAhead& ahead, bool runs, DensityPlan& plan,
                           Progress& progress);

}  // namespace skde
