#pragma once

#include <functional>

#include "estimate/plan/plan_points.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {

/// Calls use(kernel, samples, index) for all that is summed: the cloud or its images, grouped by
/// kernel. index(i) is the sample that image i belongs to.
void for_each_kernel(
    const PointSetup& setup,
    const std::function<void(const Kernel& kernel, const SamplesView& samples,
                             const std::function<std::size_t(std::size_t)>& index)>& use);

/// Implements Session::evaluate for the samples that are open.
PointDensity evaluate_at(CloudSource& source, const DensityRequest& request,
                         const TargetPoints& points, const PointWishes& wishes, Progress& progress);

/// Implements Session::means for the samples that are open.
PointMeans means_at_points(CloudSource& source, const DensityRequest& request,
                           const TargetPoints& points, std::span<const double> b,
                           std::size_t channels, Progress& progress);

}  // namespace skde
