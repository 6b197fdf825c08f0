#pragma once

#include <memory>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/plan/density_plan.hpp"
#include "estimate/read/cloud.hpp"

namespace skde {

/// Returns the covariances of the kernels that samples have of their own in a density (6 doubles
/// each, squared world units): from columns or adaptive, and not narrower than its anti-aliasing
/// floor. Empty if all share one kernel, or the cloud is null. Throws Error(cancelled).
std::vector<double> own_kernels(std::shared_ptr<const SampleCloud> cloud, const DensityPlan& plan,
                                Progress& progress);

}  // namespace skde
