#pragma once

#include "core/report/progress.hpp"
#include "estimate/plan/density_plan.hpp"
#include "estimate/plan/density_setup.hpp"
#include "estimate/plan/plan_orders.hpp"
#include "estimate/read/cloud_source.hpp"

namespace skde {

/// Plans a density: reads what is needed, and chooses bandwidth, grid, engine and how the work is
/// cut. What stands in the way of a run is the plan's obstacle. Throws what reading, set_up_density
/// and data_driven_bandwidth throw.
DensityPlan plan_density(CloudSource& source, const DensityRequest& request,
                         const PlanOrders& orders, Progress& progress);

/// The bandwidth of a request whose samples are in memory, and the widths that adapt to it, are
/// chosen: `plan` gets the set-up. Without `runs`, sums that they depend on are not made: the plan
/// is provisional then, and its forecast begins with what they take.
DensitySetup choose_kernel(CloudSource& source, const DensityRequest& request,
                           const GridAhead& ahead, bool runs, DensityPlan& plan,
                           Progress& progress);

}  // namespace skde
